package io.moldau.metadata;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/// What may depend on what inside this module.
@AnalyzeClasses(packages = "io.moldau.metadata", importOptions = DoNotIncludeTests.class)
class MetadataRulesTest {

    private static final String[] PURE = {
        "io.moldau.metadata.image",
        "io.moldau.metadata.image.snapshot",
        "io.moldau.metadata.partition",
        "io.moldau.metadata.controller.op",
    };

    @ArchTest
    static final ArchRule RATIS_STAYS_BEHIND_ITS_SEAM = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.metadata.quorum.ratis")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.ratis..")
            .because("everything else must run on a simulated quorum");

    @ArchTest
    static final ArchRule DECISIONS_ARE_PURE = classes()
            .that()
            .resideInAnyPackage(PURE)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.moldau.metadata.image",
                    "io.moldau.metadata.image.snapshot",
                    "io.moldau.metadata.partition",
                    "io.moldau.metadata.controller..",
                    "io.moldau.metadata.record",
                    "io.moldau.metadata.message",
                    "io.moldau.common",
                    "io.moldau.wire.message",
                    "io.moldau.wire.protocol",
                    "com.google.protobuf",
                    "org.pcollections",
                    "org.jspecify..",
                    "java.io",
                    "java.lang",
                    "java.lang.invoke",
                    "java.lang.runtime",
                    "java.util",
                    "java.util.function",
                    "java.util.random",
                    "java.util.stream",
                    "java.util.zip")
            .because("controllers, brokers and recovery must come to the same result from the same records");

    @ArchTest
    static final ArchRule PACKAGES_FORM_NO_CYCLES = SlicesRuleDefinition.slices()
            .matching("io.moldau.metadata.(*)..")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule IMAGES_KNOW_NO_CONTROLLER = noClasses()
            .that()
            .resideInAPackage("io.moldau.metadata.image..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.moldau.metadata.controller..", "io.moldau.metadata.quorum..", "io.moldau.metadata.channel")
            .because("brokers that are no controllers use them too");
}
