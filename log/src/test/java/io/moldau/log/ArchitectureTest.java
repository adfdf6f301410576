package io.moldau.log;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.moldau.log", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /// The log serves the broker, tools and tests alike, so it knows neither network nor cluster.
    @ArchTest
    static final ArchRule knowsNoNetworkAndNoMetadata = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.netty..",
                    "io.moldau.metadata..",
                    "io.moldau.broker..",
                    "io.moldau.ops..",
                    "org.apache.ratis..",
                    "org.apache.kafka..",
                    "io.micrometer..",
                    "java.net..");

    /// What decides about batches, epochs, producers and retention is a function of its arguments.
    @ArchTest
    static final ArchRule decisionsArePure = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.moldau.log.append..",
                    "io.moldau.log.epoch..",
                    "io.moldau.log.producer..",
                    "io.moldau.log.retention..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.nio.channels..",
                    "java.nio.file..",
                    "java.util.concurrent..",
                    "org.slf4j..",
                    "io.moldau.common.time..",
                    "io.moldau.log.storage..",
                    "io.moldau.log.segment..")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    /// Clock and randomness are handed in, else no test could replay a seed.
    @ArchTest
    static final ArchRule asksForNoTimeAndNoChance = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(java.util.Random.class)
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID");

    /// The operating system's files are behind the seam.
    @ArchTest
    static final ArchRule opensFilesOnlyBehindTheSeam = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.log.storage..")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.nio.file.Files")
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("java.nio.channels.spi..");

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.moldau.log.(*)..").should().beFreeOfCycles();
}
