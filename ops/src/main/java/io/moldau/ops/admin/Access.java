package io.moldau.ops.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Who may see what of the admin listener. Pure.
///
/// Health and metrics are for whoever reaches the port: supervisors, balancers and Prometheus know no login.
/// The console and the data behind it are for this machine, or for those who have the token. A browser that was
/// sent here under another name than this machine's, or by a page from elsewhere, is turned away.
///
/// @param loopback whether the port can be reached from this machine alone
/// @param token empty if there is none
record Access(boolean loopback, String token) {

    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "::1");

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    enum Verdict {
        ALLOWED,
        /// Comes under a name that is not this machine's.
        OTHER_NAME,
        /// A page from elsewhere asks.
        OTHER_SITE,
        /// From beyond this machine, and there is no token.
        NOT_FROM_OUTSIDE,
        /// Has to log in.
        NO_TOKEN
    }

    /// What of the headers of a request counts.
    ///
    /// @param fetchSite where a browser was when it asked
    /// @param fetchMode whether it goes there, or reads what a page asked for
    record Headers(
            @Nullable String host,
            @Nullable String authorization,
            @Nullable String fetchSite,
            @Nullable String fetchMode) {}

    /// @param open whether it is for everybody: health and metrics
    Verdict verdict(boolean open, Headers headers) {
        if (loopback && !isOwnName(headers.host())) {
            return Verdict.OTHER_NAME;
        }
        if (open) {
            return Verdict.ALLOWED;
        }
        // A link from elsewhere may lead here.
        if ("cross-site".equals(headers.fetchSite()) && !"navigate".equals(headers.fetchMode())) {
            return Verdict.OTHER_SITE;
        }
        if (token.isEmpty()) {
            return loopback ? Verdict.ALLOWED : Verdict.NOT_FROM_OUTSIDE;
        }
        return hasToken(headers.authorization()) ? Verdict.ALLOWED : Verdict.NO_TOKEN;
    }

    /// A page from elsewhere can have its own name point to this machine, and read what it likes; the name tells.
    private static boolean isOwnName(@Nullable String host) {
        if (host == null) {
            return true;
        }
        String name = host.replaceFirst(":\\d+$", "").replace("[", "").replace("]", "");
        return LOOPBACK_NAMES.contains(name.toLowerCase(Locale.ROOT)) || name.matches("127(\\.\\d{1,3}){3}");
    }

    private boolean hasToken(@Nullable String authorization) {
        if (authorization == null) {
            return false;
        }
        if (authorization.startsWith(BEARER)) {
            return isToken(authorization.substring(BEARER.length()));
        }
        if (!authorization.startsWith(BASIC)) {
            return false;
        }
        try {
            byte[] decoded = Base64.getDecoder()
                    .decode(authorization.substring(BASIC.length()).strip());
            String pair = new String(decoded, StandardCharsets.UTF_8);
            return isToken(pair.substring(pair.indexOf(':') + 1));
        } catch (IllegalArgumentException e) {
            // No base64: no login.
            return false;
        }
    }

    /// Takes as long for any wrong one.
    private boolean isToken(String said) {
        return MessageDigest.isEqual(said.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }
}
