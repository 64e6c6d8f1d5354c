import { OrdersClient } from "./client.js";
import { ShipmentPage } from "./types.js";

/** Loads the shipment page in one call (ADR-0016). It took 14 calls and 3.8 s before. */
export async function loadShipmentPage(
  client: OrdersClient,
  parcelId: string,
): Promise<ShipmentPage> {
  const query = new URLSearchParams({ parcel_id: parcelId });
  return client.get<ShipmentPage>(`/v1/portal/shipment-page?${query}`);
}

/** A sentence for the top of the page; says so when a part is missing. */
export function headline(page: ShipmentPage): string {
  if (page.status === null) {
    return "The status is not available at the moment.";
  }
  if (page.shipment.state === "delivered") {
    return "Delivered.";
  }
  const eta = page.status.deliveryEta;
  return eta === null ? "On its way." : `Expected ${formatWindow(eta)}.`;
}

/** Delivery windows are two hours wide. */
export function formatWindow(eta: string): string {
  const start = new Date(eta);
  const end = new Date(start.getTime() + 2 * 3_600_000);
  const time = (moment: Date) =>
    moment.toLocaleTimeString("nl-NL", { hour: "2-digit", minute: "2-digit" });
  return `${start.toLocaleDateString("nl-NL")} ${time(start)}–${time(end)}`;
}
