package io.moldau.ops.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/// Who may depend on whom, and where the outside world may be touched.
@AnalyzeClasses(
        packages = "io.moldau",
        importOptions = {DoNotIncludeTests.class, ModuleRulesTest.NoTestJars.class})
class ModuleRulesTest {

    /// Nor the tests of other modules, which come here in jars.
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String[] WIRE = {"io.moldau.common..", "io.moldau.wire.."};

    /// State machines and codecs: functions of their arguments, which tests and the simulator can run in any order.
    private static final String[] PURE = {
        "io.moldau.wire.protocol..",
        "io.moldau.wire.record..",
        "io.moldau.wire.message..",
        "io.moldau.log.append..",
        "io.moldau.log.epoch..",
        "io.moldau.log.producer..",
        "io.moldau.metadata.image",
        "io.moldau.metadata.partition..",
        "io.moldau.metadata.controller.op..",
        "io.moldau.broker.coordinator.group.assignor..",
    };

    /// The only classes that read the machine's clock, draw true randomness or let a thread sleep. Everything else is
    /// given a `Time` and a `RandomGenerator`, so that a run can be repeated.
    private static final Set<String> EDGES = Set.of(
            // The clock that everything else is given.
            "io.moldau.common.time.SystemTime",
            // The real disk, clock and source of chance of a node, in one place.
            "io.moldau.broker.NodeServices");

    @ArchTest
    static final ArchRule WIRE_SEES_NONE_OF_OURS = noClasses()
            .that()
            .resideInAnyPackage(WIRE)
            .should()
            .dependOnClassesThat(resideInAPackage("io.moldau..").and(not(resideInAnyPackage(WIRE))))
            .because("the protocol is the bottom of the stack: tools and tests use it alone");

    @ArchTest
    static final ArchRule COMMON_SEES_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage("io.moldau.common..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.moldau.common..", "java..", "org.jspecify..")
            .because("shared vocabulary must not bring anything along");

    @ArchTest
    static final ArchRule LOG_SEES_NO_METADATA_AND_NO_NETWORK = noClasses()
            .that()
            .resideInAPackage("io.moldau.log..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.moldau.metadata..", "io.moldau.broker..", "io.moldau.ops..", "io.moldau.wire.netty..")
            .because("a partition's files can be opened by tools, and are recovered before there is a network");

    @ArchTest
    static final ArchRule METADATA_SEES_NO_LOG_AND_NO_BROKER = noClasses()
            .that()
            .resideInAPackage("io.moldau.metadata..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.moldau.log..", "io.moldau.broker..", "io.moldau.ops..")
            .because("controllers run without brokers, and brokers follow metadata through its seams");

    @ArchTest
    static final ArchRule BROKER_SEES_NO_EXECUTABLE = noClasses()
            .that()
            .resideInAPackage("io.moldau.broker..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.moldau.ops..")
            .because("a node is started by whoever has a NodeConfig, be it a test");

    @ArchTest
    static final ArchRule NETTY_STAYS_AT_THE_NETWORK = noClasses()
            .that()
            .resideOutsideOfPackages("io.moldau.wire.netty..", "io.moldau.broker.net..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .because("handlers and state see records and messages, not sockets");

    @ArchTest
    static final ArchRule RATIS_STAYS_BEHIND_ITS_SEAM = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.metadata.quorum.ratis..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.ratis..")
            .because("Ratis reads the machine's clock itself; a simulated quorum takes its place in tests");

    @ArchTest
    static final ArchRule METERS_STAY_IN_OPS = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.ops.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer..", "io.prometheus..")
            .because("modules report events through small interfaces of their own");

    @ArchTest
    static final ArchRule COMMAND_LINES_STAY_IN_OPS = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.ops.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..")
            .because("it costs a tenth of a second, which a starting node does not have");

    @ArchTest
    static final ArchRule KAFKA_IS_NOT_INSIDE = noClasses()
            .that()
            .resideOutsideOfPackage("io.moldau.ops.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..")
            .because("the reference's jars are an input of the build and a yardstick of the tests; only commands that"
                    + " ask a cluster from outside are clients like any other");

    @ArchTest
    static final ArchRule PURE_PACKAGES_TOUCH_NOTHING = noClasses()
            .that()
            .resideInAnyPackage(PURE)
            // An interface whose implementation in the log hands a file region to the network.
            .and()
            .doNotHaveFullyQualifiedName("io.moldau.wire.protocol.FileRecords")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "java.nio.channels..",
                            "java.nio.file..",
                            "java.net..",
                            "java.util.concurrent.locks..",
                            "org.slf4j..")
                    .or(type(Thread.class))
                    .or(type(Clock.class)))
            .because("what they do depends on their arguments alone");

    @ArchTest
    static final ArchRule CLOCK_AND_CHANCE_COME_FROM_OUTSIDE = noClasses()
            .that(not(edge()))
            .should()
            .callMethodWhere(readsClockOrChance())
            .orShould()
            .callConstructorWhere(createsChance())
            .because("a test or a simulation that repeats a seed must repeat the run");

    @ArchTest
    static final ArchRule PACKAGES_OF_A_MODULE_FORM_NO_CYCLE_WITH_THE_OTHERS = SlicesRuleDefinition.slices()
            .matching("io.moldau.(*)..")
            .should()
            .beFreeOfCycles()
            .because("modules build one after the other");

    private static DescribedPredicate<JavaClass> edge() {
        return DescribedPredicate.describe("listed as edges", javaClass -> EDGES.contains(outermost(javaClass)));
    }

    private static String outermost(JavaClass javaClass) {
        var name = javaClass.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static DescribedPredicate<JavaAccess<?>> readsClockOrChance() {
        return DescribedPredicate.describe("reads the clock, draws chance or sleeps", access -> {
            var owner = access.getTargetOwner();
            var method = access.getName();
            return (owner.isEquivalentTo(System.class)
                            && (method.equals("currentTimeMillis") || method.equals("nanoTime")))
                    || (owner.isEquivalentTo(Math.class) && method.equals("random"))
                    || (owner.isEquivalentTo(UUID.class) && method.equals("randomUUID"))
                    || (owner.isEquivalentTo(Thread.class) && method.equals("sleep"))
                    || (owner.getPackageName().equals("java.time") && method.equals("now"))
                    || owner.isEquivalentTo(ThreadLocalRandom.class)
                    || (owner.isEquivalentTo(RandomGenerator.class)
                            && (method.equals("getDefault") || method.equals("of")));
        });
    }

    private static DescribedPredicate<JavaAccess<?>> createsChance() {
        return DescribedPredicate.describe("creates a source of chance", access -> {
            var owner = access.getTargetOwner();
            var seedless = access.getTarget().getFullName().endsWith("<init>()");
            return owner.isEquivalentTo(SecureRandom.class)
                    || (seedless
                            && (owner.isEquivalentTo(Random.class) || owner.isEquivalentTo(SplittableRandom.class)));
        });
    }
}
