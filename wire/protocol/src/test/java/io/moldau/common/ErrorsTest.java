package io.moldau.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.Test;

class ErrorsTest {

    @Test
    void everyCodeNameAndRetriabilityIsKafkas() {
        assertThat(Arrays.stream(Errors.values()).map(ErrorsTest::ours))
                .containsExactlyElementsOf(Arrays.stream(org.apache.kafka.common.protocol.Errors.values())
                        .map(ErrorsTest::kafkas)
                        .toList());
    }

    @Test
    void codesLeadBackToTheirErrors() {
        for (Errors error : Errors.values()) {
            assertThat(Errors.forCode(error.code())).isSameAs(error);
            assertThat(error.defaultMessage()).endsWith(".");
        }
        assertThat(Errors.forCode((short) -2)).isSameAs(Errors.UNKNOWN_SERVER_ERROR);
        assertThat(Errors.forCode((short) 137)).isSameAs(Errors.UNKNOWN_SERVER_ERROR);
        assertThat(Errors.forCode(Short.MAX_VALUE)).isSameAs(Errors.UNKNOWN_SERVER_ERROR);
        assertThat(Errors.forCode(Short.MIN_VALUE)).isSameAs(Errors.UNKNOWN_SERVER_ERROR);
    }

    @Test
    void anExceptionCarriesItsErrorAndText() {
        ApiException exception = Errors.INVALID_CONFIG.exception("retention.ms must be a number");
        assertThat(exception.error()).isSameAs(Errors.INVALID_CONFIG);
        assertThat(exception).hasMessage("retention.ms must be a number");
        assertThat(exception.getStackTrace()).isEmpty();
        assertThat(exception.toApiError()).isEqualTo(new ApiError(Errors.INVALID_CONFIG, exception.getMessage()));
        assertThatThrownBy(() -> new ApiException(Errors.NONE, "fine")).isInstanceOf(IllegalArgumentException.class);
    }

    private static String ours(Errors error) {
        return error.code() + " " + error.name() + " " + error.retriable();
    }

    private static String kafkas(org.apache.kafka.common.protocol.Errors error) {
        return error.code() + " " + error.name() + " " + (error.exception() instanceof RetriableException);
    }
}
