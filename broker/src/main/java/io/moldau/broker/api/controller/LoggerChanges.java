package io.moldau.broker.api.controller;

import io.moldau.broker.api.metadata.BrokerResources;
import io.moldau.broker.config.LogLevels;
import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;

/// Changes of this node's log levels (KIP-412). Nobody else is asked: they live in this process and end with it.
///
/// Every change of a request is checked before the first one is made.
public final class LoggerChanges {

    static final ApiError ONE_BY_ONE = new ApiError(
            Errors.INVALID_REQUEST,
            "Log levels are not replaced as a whole: change single ones, by IncrementalAlterConfigs.");

    private static final byte SET = 0;
    private static final byte DELETE = 1;

    private final int nodeId;
    private final LogLevels levels;

    public LoggerChanges(int nodeId, LogLevels levels) {
        this.nodeId = nodeId;
        this.levels = levels;
    }

    ApiError change(AlterConfigsResource resource, boolean validateOnly) {
        try {
            BrokerResources.checkLocal(resource.resourceName(), nodeId, false);
            resource.configs().forEach(this::check);
        } catch (ApiException e) {
            return e.toApiError();
        }
        if (!validateOnly) {
            resource.configs().forEach(this::apply);
        }
        return ApiError.NONE;
    }

    private void check(AlterableConfig change) {
        String logger = change.name();
        if (change.configOperation() != SET && change.configOperation() != DELETE) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "Logger " + logger + ": a level is set (operation 0) or deleted (1), and not changed by operation "
                            + change.configOperation() + ".");
        }
        if (!levels.knows(logger)) {
            throw new ApiException(
                    Errors.INVALID_CONFIG,
                    "Logger " + logger + " does not exist on node " + nodeId
                            + ". Describe the node's loggers for their names; a package stands for all below it.");
        }
        if (change.configOperation() == DELETE) {
            if (logger.equals(LogLevels.ROOT)) {
                throw new ApiException(
                        Errors.INVALID_REQUEST,
                        "Logger root must have a level, since it is the one above all others. Set it to INFO instead.");
            }
        } else if (!LogLevels.NAMES.contains(String.valueOf(change.value()))) {
            throw new ApiException(
                    Errors.INVALID_CONFIG,
                    "Logger " + logger + " cannot be set to " + change.value() + ", which is no level. Take one of "
                            + String.join(", ", LogLevels.NAMES) + ".");
        }
    }

    private void apply(AlterableConfig change) {
        if (change.configOperation() == DELETE) {
            levels.unset(change.name());
        } else {
            levels.set(change.name(), String.valueOf(change.value()));
        }
    }
}
