package io.kvgate.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.State;

@AnalyzeClasses(
        packages = "io.kvgate.bench",
        importOptions = {ImportOption.DoNotIncludeTests.class, BenchArchitectureTest.DoNotIncludeGenerated.class})
final class BenchArchitectureTest {
    /** What JMH's annotation processor writes is not ours to shape. */
    static final class DoNotIncludeGenerated implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/jmh_generated/");
        }
    }

    @ArchTest
    static final ArchRule packages_haveNoCycles =
            slices().matching("io.kvgate.bench.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule concreteTopLevelClasses_areFinal =
            classes().that(concreteAndTopLevel()).should().haveModifier(JavaModifier.FINAL);

    @ArchTest
    static final ArchRule names_carryAMeaning =
            noClasses().should().haveNameMatching(".*(Impl|Utils?|Helper|Manager|Base)");

    @ArchTest
    static final ArchRule fields_ofPublicClassesAreNotPublicAndMutable =
            fields().that().arePublic().should().beFinal();

    @ArchTest
    static final ArchRule staticFields_areFinal =
            fields().that().areStatic().should().beFinal();

    @ArchTest
    static final ArchRule timeAndChance_comeInThroughConstructors = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ThreadLocalRandom.class)
            .orShould()
            .callConstructor(Random.class);

    @ArchTest
    static final ArchRule model_isPure = noClasses()
            .that()
            .resideInAPackage("io.kvgate.bench.engine.model")
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "org.jspecify..",
                    "io.kvgate.bench.engine.model");

    private BenchArchitectureTest() {}

    /** JMH makes subclasses of benchmarks and their states, so these can't be final. */
    private static DescribedPredicate<JavaClass> concreteAndTopLevel() {
        return DescribedPredicate.describe(
                "concrete and top-level, and nothing that JMH extends",
                type -> type.isTopLevelClass()
                        && !type.getName().matches("io\\.kvgate\\.bench\\.jmh\\.\\w+Benchmark")
                        && !type.isAnnotatedWith(State.class)
                        && !type.isInterface()
                        && !type.isAnnotation()
                        && !type.getModifiers().contains(JavaModifier.ABSTRACT)
                        && !type.getSimpleName().equals("package-info"));
    }
}
