package io.moldau.testing;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/// What makes [Seeds] work.
final class SeedsExtension implements TestTemplateInvocationContextProvider {

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> AnnotationSupport.isAnnotated(method, Seeds.class))
                .orElse(false);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Method method = context.getRequiredTestMethod();
        long parameters = Stream.of(method.getParameterTypes())
                .filter(type -> type == long.class)
                .count();
        if (parameters != 1) {
            throw new IllegalStateException(method + " needs exactly one long parameter for its seed");
        }
        Long one = Long.getLong("moldau.seed");
        if (one != null) {
            return Stream.of(new OneSeed(one));
        }
        int count = AnnotationSupport.findAnnotation(method, Seeds.class)
                .orElseThrow()
                .count();
        return LongStream.range(0, Long.getLong("moldau.seeds", count)).mapToObj(OneSeed::new);
    }

    private record OneSeed(long seed) implements TestTemplateInvocationContext, ParameterResolver, TestWatcher {

        @Override
        public String getDisplayName(int invocationIndex) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == long.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return seed;
        }

        @Override
        public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
            String test = context.getRequiredTestClass().getSimpleName() + "#"
                    + context.getRequiredTestMethod().getName();
            System.err.println(
                    "Failed with seed " + seed + "; replay it with -Dtest='" + test + "' -Dmoldau.seed=" + seed);
        }
    }
}
