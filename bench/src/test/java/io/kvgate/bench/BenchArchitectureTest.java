package io.kvgate.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

@AnalyzeClasses(packages = "io.kvgate.bench", importOptions = ImportOption.DoNotIncludeTests.class)
final class BenchArchitectureTest {

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

    private static DescribedPredicate<JavaClass> concreteAndTopLevel() {
        return DescribedPredicate.describe(
                "concrete and top-level",
                type -> type.isTopLevelClass()
                        && !type.isInterface()
                        && !type.isAnnotation()
                        && !type.getModifiers().contains(JavaModifier.ABSTRACT)
                        && !type.getSimpleName().equals("package-info"));
    }
}
