package io.moldau.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/// Gives the tests of a class a cluster of their own, which is started before the first of them and stopped after the
/// last. Tests get it by a parameter of type [EmbeddedCluster], or its address by a `String` parameter that is
/// annotated with [BootstrapServers].
///
/// Nested test classes share their outer class's cluster unless they have the annotation themselves. Classes may run in
/// parallel, and so may JVMs: every cluster has ports and a folder that nobody else has.
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(MoldauExtension.class)
public @interface MoldauCluster {

    /// How many brokers; the first of them is also the controller.
    int brokers() default 1;

    /// Settings of all brokers by Kafka's names, each as `key=value`, over those of [EmbeddedCluster].
    String[] settings() default {};
}
