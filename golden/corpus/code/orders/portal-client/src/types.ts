/** Shapes of the answers of orders, as the portal uses them. */

export type ParcelState = "booked" | "labelled" | "in_transit" | "delivered" | "cancelled";

export interface Booking {
  postcode: string;
  product: string;
  weightClass: "XS" | "S" | "M" | "L" | "XL" | "XXL";
  reference?: string;
}

export interface Booked {
  parcelId: string;
  deliveryDay: string;
}

export interface ShipmentPage {
  shipment: { parcelId: string; depot: string; deliveryDay: string; state: ParcelState };
  /** null when tracking did not answer in time */
  status: { lastScan: string; deliveryEta: string | null } | null;
  /** null when billing did not answer in time */
  invoice: { amount: string; currency: string } | null;
}

/** An application/problem+json answer; decide by `code`, never by `title`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  trace_id: string;
}

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.code}`);
    this.name = "ProblemError";
  }
}
