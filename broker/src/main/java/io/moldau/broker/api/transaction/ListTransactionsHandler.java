package io.moldau.broker.api.transaction;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.ListTransactionsRequestData;
import io.moldau.wire.message.ListTransactionsResponseData;
import io.moldau.wire.protocol.Message;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// ListTransactions, versions 0 to 2 (KIP-664): 1 filters by how long a transaction has been open (KIP-994), 2 by the
/// transactional id (KIP-1152).
final class ListTransactionsHandler implements RequestHandler<ListTransactionsRequestData> {

    private final TransactionCoordinator coordinator;

    ListTransactionsHandler(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, ListTransactionsRequestData request) {
        coordinator.list(request, idFilter(request.transactionalIdPattern()), context::respond);
    }

    @Override
    public Message errorResponse(RequestContext context, ListTransactionsRequestData request, ApiException failure) {
        return new ListTransactionsResponseData().setErrorCode(failure.error().code());
    }

    /// A client's expression must not take more than linear time, which the JDK's may.
    private static Predicate<String> idFilter(@Nullable String expression) {
        if (expression == null || expression.isEmpty()) {
            return id -> true;
        }
        try {
            return Pattern.compile(expression)::matches;
        } catch (PatternSyntaxException e) {
            throw new ApiException(
                    Errors.INVALID_REGULAR_EXPRESSION,
                    "'" + expression + "' is no regular expression: " + e.getMessage());
        }
    }
}
