package io.moldau.junit;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/// Starts and stops the cluster of [MoldauCluster].
final class MoldauExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace SPACE = Namespace.create(MoldauExtension.class);

    /// The store closes the cluster when the class is done.
    @Override
    public void beforeAll(ExtensionContext context) {
        AnnotationSupport.findAnnotation(context.getRequiredTestClass(), MoldauCluster.class)
                .ifPresent(wanted -> context.getStore(SPACE)
                        .put(
                                EmbeddedCluster.class,
                                EmbeddedCluster.start(wanted.brokers(), settings(wanted.settings()))));
    }

    private static Map<String, String> settings(String[] assignments) {
        var settings = new LinkedHashMap<String, String>();
        for (String assignment : assignments) {
            int equals = assignment.indexOf('=');
            if (equals <= 0) {
                throw new ExtensionConfigurationException(
                        "A setting of @MoldauCluster is '" + assignment + "', which is not of the form key=value.");
            }
            settings.put(assignment.substring(0, equals).strip(), assignment.substring(equals + 1));
        }
        return settings;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == EmbeddedCluster.class || (type == String.class && parameter.isAnnotated(BootstrapServers.class));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        EmbeddedCluster cluster = context.getStore(SPACE).get(EmbeddedCluster.class, EmbeddedCluster.class);
        if (cluster == null) {
            throw new ExtensionConfigurationException("There is no cluster: put @MoldauCluster on the class.");
        }
        return parameter.getParameter().getType() == String.class ? cluster.bootstrapServers() : cluster;
    }
}
