package io.moldau.wire;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.TimerThread;
import io.moldau.wire.protocol.FileRecords;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.time.Clock;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/// Which way dependencies point in this module, and what its pure packages may not touch.
@AnalyzeClasses(packages = "io.moldau", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String COMMON = "io.moldau.common..";
    private static final String PROTOCOL = "io.moldau.wire.protocol..";
    private static final String RECORD = "io.moldau.wire.record..";
    private static final String MESSAGE = "io.moldau.wire.message..";
    private static final String NETTY = "io.moldau.wire.netty..";

    @ArchTest
    static final ArchRule commonImportsTheJdkAndNothingElse = classes()
            .that()
            .resideInAPackage(COMMON)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(COMMON, "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule protocolAndMessagesKnowNoLibrary = classes()
            .that()
            .resideInAnyPackage(PROTOCOL, MESSAGE)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(COMMON, PROTOCOL, MESSAGE, "java..", "javax.annotation..", "org.jspecify.."));

    @ArchTest
    static final ArchRule recordsKnowTheCodecsOnly = classes()
            .that()
            .resideInAPackage(RECORD)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    COMMON,
                    PROTOCOL,
                    RECORD,
                    "java..",
                    "org.jspecify..",
                    "com.github.luben.zstd..",
                    "net.jpountz..",
                    "org.xerial.snappy.."));

    @ArchTest
    static final ArchRule nettyStaysInItsPackage = noClasses()
            .that()
            .resideOutsideOfPackage(NETTY)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    @ArchTest
    static final ArchRule nothingHereOpensAFileOrASocket = noClasses()
            .that()
            .resideInAnyPackage(COMMON, PROTOCOL, RECORD, MESSAGE)
            .and()
            .doNotBelongToAnyOf(FileRecords.class)
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..")
                    .or(fileClass()));

    @ArchTest
    static final ArchRule nothingHereReadsAClock = noClasses()
            .that()
            .doNotBelongToAnyOf(SystemTime.class)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class);

    @ArchTest
    static final ArchRule nothingHereRunsAThread = noClasses()
            .that()
            .resideInAnyPackage(COMMON, PROTOCOL, RECORD, MESSAGE)
            .and()
            .doNotBelongToAnyOf(TimerThread.class)
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Executors.class);

    @ArchTest
    static final ArchRule nothingHereThrowsDice = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Random.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ThreadLocalRandom.class)
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .callMethod(Math.class, "random");

    @ArchTest
    static final ArchRule nothingHereLogs = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..", "java.util.logging..", "org.apache.logging..");

    // The table of APIs makes empty messages, and messages are made of what lies beside it: both are generated.
    @ArchTest
    static final ArchRule packagesFormNoCycles = slices().matching("io.moldau.(**)")
            .should()
            .beFreeOfCycles()
            .ignoreDependency(simpleName("ApiKey"), resideInAPackage(MESSAGE));

    private static DescribedPredicate<JavaClass> fileClass() {
        return assignableTo(File.class)
                .or(assignableTo(RandomAccessFile.class))
                .or(assignableTo(FileInputStream.class))
                .or(assignableTo(FileOutputStream.class));
    }
}
