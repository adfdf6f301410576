package io.moldau.broker.request;

import io.moldau.common.ApiException;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.Readable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which handler serves which API. Immutable, shared by all connections.
///
/// An API that nobody registered is unknown to peers: ApiVersions does not name it and a request for it closes the
/// connection.
public final class RequestRouter {

    private record Route<Q extends Message>(ApiKey api, Class<Q> type, RequestHandler<Q> handler) {

        void handle(RequestContext context, Message message, RequestMetrics metrics) {
            Q request = type.cast(message);
            try {
                handler.handle(context, request);
            } catch (ApiException failure) {
                metrics.requestFailed(api, context.apiVersion(), failure.error());
                Message response = handler.errorResponse(context, request, failure);
                if (response == null) {
                    context.disconnect(api + " failed with " + failure.error() + ": " + failure.getMessage());
                } else {
                    context.respond(response);
                }
            }
        }
    }

    private final Map<ApiKey, Route<?>> routes;
    private final RequestMetrics metrics;

    private RequestRouter(Map<ApiKey, Route<?>> routes, RequestMetrics metrics) {
        this.routes = routes;
        this.metrics = metrics;
    }

    public static Builder builder() {
        return new Builder();
    }

    /// The registered APIs in the order of their keys: what ApiVersions advertises.
    public List<ApiKey> apis() {
        return List.copyOf(routes.keySet());
    }

    /// The API a request names if it is served here in that version, else null. ApiVersions is served in any
    /// version: in one it does not know it answers which ones it does (KIP-511).
    public @Nullable ApiKey find(short apiKey, short apiVersion) {
        ApiKey api = ApiKey.forId(apiKey);
        if (api == null || !routes.containsKey(api)) {
            return null;
        }
        return isVersionKnown(api, apiVersion) || api == ApiKey.API_VERSIONS ? api : null;
    }

    /// Whether requests of this version can be decoded.
    public static boolean isVersionKnown(ApiKey api, short apiVersion) {
        return apiVersion >= api.lowestVersion() && apiVersion <= api.highestVersion();
    }

    /// Decodes the body and hands it to the handler.
    ///
    /// @throws MalformedMessageException if the body is no message of that API and version
    public void dispatch(RequestContext context, Readable body) {
        Route<?> route = routes.get(context.apiKey());
        if (route == null) {
            throw new IllegalArgumentException(context.apiKey() + " has no handler");
        }
        Message request = context.apiKey().newRequest();
        if (isVersionKnown(context.apiKey(), context.apiVersion())) {
            request.read(body, context.apiVersion());
        }
        route.handle(context, request, metrics);
    }

    /// Collects the routes.
    public static final class Builder {
        private final Map<ApiKey, Route<?>> routes = new EnumMap<>(ApiKey.class);
        private final List<ApiKey> twice = new ArrayList<>();
        private RequestMetrics metrics = RequestMetrics.NONE;

        private Builder() {}

        /// @param type the class of the API's requests, as `api.newRequest()` makes them
        public <Q extends Message> Builder on(ApiKey api, Class<Q> type, RequestHandler<Q> handler) {
            if (routes.put(api, new Route<>(api, type, handler)) != null) {
                twice.add(api);
            }
            return this;
        }

        public Builder metrics(RequestMetrics metrics) {
            this.metrics = metrics;
            return this;
        }

        /// @throws IllegalStateException if an API got two handlers
        public RequestRouter build() {
            if (!twice.isEmpty()) {
                throw new IllegalStateException("more than one handler for " + twice);
            }
            return new RequestRouter(new EnumMap<>(routes), metrics);
        }
    }
}
