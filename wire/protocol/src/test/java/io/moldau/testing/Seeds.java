package io.moldau.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/// Runs a test once for each of several seeds, given to its one `long` parameter.
///
/// The seeds are the same in every run, so a build does not fail by chance; `-Dmoldau.seeds=5000` tries more of them,
/// `-Dmoldau.seed=N` replays one. The seed stands in the test's name and, with the command that replays it, on standard
/// error when the test fails.
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeedsExtension.class)
public @interface Seeds {

    /// How many seeds an ordinary build tries.
    int count() default 20;
}
