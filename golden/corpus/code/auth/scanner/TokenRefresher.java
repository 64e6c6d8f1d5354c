package example.halmwick.scanner.auth;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Renews the access token of a depot scanner. In the firmware since 4.2 (March 2023), which made the
 * short-lived tokens of ADR-0025 possible; older firmware could not refresh and needed 24 hours
 * (ADR-0014).
 *
 * <p>A scanner scans without network for up to eight hours and sends the scans later. It must not
 * forget who is logged in because the Wi-Fi is away, so that a failed refresh is tried again and
 * only a refused one logs out.
 */
public final class TokenRefresher {

    /** Begin early: in six depots a refresh needs several attempts (INC-2025-02). */
    private static final Duration RENEW_BEFORE_END = Duration.ofMinutes(5);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final URI refreshUri;
    private final TokenVault vault;
    private final Clock clock;
    private Duration pause = FIRST_PAUSE;

    public TokenRefresher(URI authUri, TokenVault vault, Clock clock) {
        this.refreshUri = authUri.resolve("/v1/refresh");
        this.vault = vault;
        this.clock = clock;
    }

    /** Tells whether the token should be renewed now. */
    public boolean isDue() {
        Instant begin = vault.expiresAt().minus(RENEW_BEFORE_END);
        return !clock.instant().isBefore(begin);
    }

    /**
     * Tries once.
     *
     * @return how long to wait until the next try, or zero if there is a new token
     * @throws LoggedOutException if auth refuses the refresh token
     */
    public Duration tryOnce() throws InterruptedException, LoggedOutException {
        HttpRequest request =
                HttpRequest.newBuilder(refreshUri)
                        .timeout(TIMEOUT)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(vault.refreshBody()))
                        .build();
        try {
            HttpResponse<String> response =
                    http.send(request, HttpResponse.BodyHandlers.ofString());
            return handle(response);
        } catch (IOException noNetwork) {
            return longerPause();
        }
    }

    private Duration handle(HttpResponse<String> response) throws LoggedOutException {
        int status = response.statusCode();
        if (status == 401 || status == 403) {
            vault.clear();
            throw new LoggedOutException(status);
        }
        if (status != 200) {
            return longerPause();
        }
        vault.store(response.body());
        pause = FIRST_PAUSE;
        return Duration.ZERO;
    }

    private Duration longerPause() {
        Duration current = pause;
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
        return current;
    }

    /** Keeps the pair of tokens in the protected memory of the device. */
    public interface TokenVault {
        Instant expiresAt();

        String refreshBody();

        void store(String answer);

        void clear();
    }

    /** The person must log in again with the badge. */
    public static final class LoggedOutException extends Exception {
        LoggedOutException(int status) {
            super("auth answered " + status);
        }
    }
}
