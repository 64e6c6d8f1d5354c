/** Access tokens live for 15 minutes (ADR-0025); this renews them before they end. */

const RENEW_BEFORE_MS = 60_000;

interface Pair {
  access: string;
  expiresAt: number;
}

export class TokenStore {
  private pair: Pair | undefined;
  private renewal: Promise<Pair> | undefined;

  constructor(private readonly authUrl: string) {}

  /** Gives a valid token. Two callers at once share one renewal: using a rotated refresh token
   * twice would revoke the whole family. */
  async access(): Promise<string> {
    if (this.pair === undefined || this.pair.expiresAt - Date.now() < RENEW_BEFORE_MS) {
      this.renewal ??= this.renew().finally(() => {
        this.renewal = undefined;
      });
      this.pair = await this.renewal;
    }
    return this.pair.access;
  }

  /** The refresh token is in an http-only cookie and never seen by this code. */
  private async renew(): Promise<Pair> {
    const response = await fetch(`${this.authUrl}/v1/refresh`, {
      method: "POST",
      credentials: "include",
    });
    if (!response.ok) {
      window.location.assign("/login");
      throw new Error("logged out");
    }
    const body = (await response.json()) as { access: string; expires_in: number };
    return { access: body.access, expiresAt: Date.now() + body.expires_in * 1_000 };
  }
}
