package io.moldau.broker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;
import java.util.UUID;

/// Who may know whom inside the broker.
@AnalyzeClasses(packages = "io.moldau.broker", importOptions = ImportOption.DoNotIncludeTests.class)
class BrokerArchitectureTest {

    @ArchTest
    static final ArchRule ONLY_THE_NETWORK_KNOWS_NETTY = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.broker.net..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .because("handlers and replicas must run without a network in tests and in the simulator");

    @ArchTest
    static final ArchRule NOBODY_KNOWS_RATIS = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.ratis..", "io.moldau.metadata.quorum.ratis..")
            .because("the metadata quorum is reached through its own interfaces");

    @ArchTest
    static final ArchRule ONLY_THE_ROOT_COMPOSES = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.broker")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.moldau.broker")
            .because("only Node makes services; they get each other through constructors");

    @ArchTest
    static final ArchRule CONFIGURATION_IS_PURE = noClasses()
            .that()
            .resideInAPackage("io.moldau.broker.config..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.nio.channels..",
                    "java.net..",
                    "java.util.concurrent.locks..",
                    "org.slf4j..",
                    "io.moldau.broker.net..",
                    "io.moldau.broker.replica..",
                    "io.moldau.broker.api..")
            .because("what settings come to must not depend on the machine they are read on");

    @ArchTest
    static final ArchRule HANDLERS_DO_NOT_KNOW_THE_NETWORK = noClasses()
            .that()
            .resideInAPackage("io.moldau.broker.api..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.moldau.broker.net..")
            .because("a handler sees a RequestContext, whatever brought it");

    @ArchTest
    static final ArchRule REPLICAS_DO_NOT_KNOW_REQUESTS = noClasses()
            .that()
            .resideInAPackage("io.moldau.broker.replica..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.moldau.broker.request..", "io.moldau.broker.api..", "io.moldau.broker.net..")
            .because("a partition serves coordinators and followers as well as clients");

    @ArchTest
    static final ArchRule NO_CLOCK_BUT_THE_ONE_GIVEN = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .because("time comes through constructors, so that tests and the simulator can turn it");

    @ArchTest
    static final ArchRule NO_RANDOMNESS_BUT_THE_ONE_GIVEN = noClasses()
            .that()
            .doNotHaveSimpleName("NodeServices")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Random.class)
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .callMethod(Math.class, "random")
            .because("randomness comes through constructors, so that a run can be repeated");

    @ArchTest
    static final ArchRule HANDLERS_END_IN_HANDLER = classes()
            .that()
            .implement("io.moldau.broker.request.RequestHandler")
            .should()
            .haveSimpleNameEndingWith("Handler")
            .because("a suffix means something here");

    @ArchTest
    static final ArchRule NO_CYCLES = slices().matching("io.moldau.broker.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a package can be understood with those below it alone");
}
