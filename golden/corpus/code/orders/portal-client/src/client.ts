import { Booked, Booking, Problem, ProblemError } from "./types.js";
import { TokenStore } from "./tokens.js";

/** Browser client of orders. Calls from a browser are no calls between services, so that ADR-0043
 * does not set its timeout; five seconds is what a person waits before clicking again. */
const TIMEOUT_MS = 5_000;

export class OrdersClient {
  constructor(
    private readonly baseUrl: string,
    private readonly tokens: TokenStore,
  ) {}

  /** Books through /v1, which takes a booking without an Idempotency-Key.
   * TODO(MAN-1101): move to /v2 before the sunset of 2025-12-31. */
  async book(booking: Booking): Promise<Booked> {
    return this.send<Booked>("POST", "/v1/shipments", {
      postcode: booking.postcode,
      product: booking.product,
      weight_class: booking.weightClass,
      reference: booking.reference,
    });
  }

  async cancel(parcelId: string): Promise<void> {
    await this.send("POST", `/v2/shipments/${encodeURIComponent(parcelId)}/cancel`);
  }

  async get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        Authorization: `Bearer ${await this.tokens.access()}`,
        "Content-Type": "application/json",
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 429) {
      const seconds = Number(response.headers.get("Retry-After") ?? "1");
      await new Promise((wake) => setTimeout(wake, seconds * 1_000));
      return this.send<T>(method, path, body);
    }
    if (!response.ok) {
      throw new ProblemError((await response.json()) as Problem);
    }
    return (await response.json()) as T;
  }
}
