package io.moldau.broker.api.metadata;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;

/// Checks the names of broker resources: such a request has to be sent to the broker it speaks of.
public final class BrokerResources {

    /// In the place of a node's own id: every broker's resources may be named.
    public static final int ANY = -1;

    private BrokerResources() {}

    /// @param orDefault whether no name is fine too
    /// @throws ApiException with INVALID_REQUEST if the name is not this broker's
    public static void checkLocal(String name, int localId, boolean orDefault) {
        String expected = "expected " + localId + (orDefault ? " or no name" : "") + ", got '" + name + "'.";
        int id;
        try {
            id = Integer.parseInt(name);
        } catch (NumberFormatException e) {
            throw new ApiException(Errors.INVALID_REQUEST, "The broker's name must be its id: " + expected);
        }
        if (localId != ANY && id != localId) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "Unexpected broker id, " + expected + " Send the request to broker " + name + ".");
        }
    }
}
