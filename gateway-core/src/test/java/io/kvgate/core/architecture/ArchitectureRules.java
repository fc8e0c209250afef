package io.kvgate.core.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.beFinal;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** The rules that every module keeps; each module's test checks them on its own classes. */
public final class ArchitectureRules {
    /** Calls that only listed classes may make, since time and chance come in through constructors. */
    public enum BannedCall {
        NANO_TIME("java.lang.System", "nanoTime"),
        CURRENT_TIME("java.lang.System", "currentTimeMillis"),
        EXIT("java.lang.System", "exit"),
        SLEEP("java.lang.Thread", "sleep"),
        THREAD_LOCAL_RANDOM("java.util.concurrent.ThreadLocalRandom", "current"),
        MATH_RANDOM("java.lang.Math", "random"),
        NEW_RANDOM("java.util.Random", "<init>"),
        INSTANT_NOW("java.time.Instant", "now"),
        SYSTEM_CLOCK("java.time.Clock", "systemUTC"),
        SYSTEM_ZONE_CLOCK("java.time.Clock", "systemDefaultZone");

        private final String owner;
        private final String member;

        BannedCall(String owner, String member) {
            this.owner = owner;
            this.member = member;
        }

        private boolean isIn(JavaAccess<?> access) {
            AccessTarget target = access.getTarget();
            return target.getOwner().getName().equals(owner) && target.getName().equals(member);
        }
    }

    private static final String[] BANNED_SUFFIXES = {"Impl", "Util", "Utils", "Helper", "Manager", "Base"};

    private ArchitectureRules() {}

    /** The production classes below a package. */
    public static JavaClasses productionClasses(String root) {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages(root);
    }

    /** The test classes below a package. */
    public static JavaClasses testClasses(String root) {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
                .importPackages(root);
    }

    /**
     * All rules that need no list of their own.
     *
     * @param allowed classes that may make a banned call, by full name; an inner class counts as its outermost one
     */
    public static List<ArchRule> common(Map<BannedCall, Set<String>> allowed) {
        List<ArchRule> rules = new ArrayList<>(List.of(
                noPackageCycles(),
                concreteTopLevelClassesAreFinal(),
                noBannedSuffixes(),
                noPublicMutableFields(),
                noStaticMutableFields()));
        for (BannedCall call : BannedCall.values()) {
            rules.add(callOnlyIn(call, allowed.getOrDefault(call, Set.of())));
        }
        return rules;
    }

    public static ArchRule noPackageCycles() {
        return SlicesRuleDefinition.slices()
                .assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                        return javaClass.getPackageName().startsWith("io.kvgate")
                                ? SliceIdentifier.of(javaClass.getPackageName())
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true);
    }

    public static ArchRule concreteTopLevelClassesAreFinal() {
        return classes()
                .that(describe("are concrete top-level classes", ArchitectureRules::isConcreteTopLevel))
                .should(beFinal())
                .allowEmptyShould(true);
    }

    private static boolean isConcreteTopLevel(JavaClass javaClass) {
        return javaClass.isTopLevelClass()
                && !javaClass.isInterface()
                && !javaClass.isEnum()
                && !javaClass.getModifiers().contains(JavaModifier.ABSTRACT);
    }

    public static ArchRule noBannedSuffixes() {
        return noClasses()
                .should()
                .haveNameMatching(".*(" + String.join("|", BANNED_SUFFIXES) + ")")
                .because("a name says what the thing is")
                .allowEmptyShould(true);
    }

    public static ArchRule noPublicMutableFields() {
        return fields().that()
                .arePublic()
                .should()
                .beFinal()
                .because("mutable state is behind methods")
                .allowEmptyShould(true);
    }

    public static ArchRule noStaticMutableFields() {
        return fields().that()
                .areStatic()
                .and(describe(
                        "are written in the source",
                        field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .because("two gateways in one process must not meet")
                .allowEmptyShould(true);
    }

    public static ArchRule callOnlyIn(BannedCall call, Set<String> allowed) {
        return noClasses()
                .that(describe("are not " + allowed, javaClass -> !allowed.contains(outermost(javaClass))))
                .should()
                .accessTargetWhere(describe(call.owner + "." + call.member, call::isIn))
                .orShould()
                .callCodeUnitWhere(describe(call.owner + "." + call.member, call::isIn))
                .because("time and chance come in through constructors, and only a main ends the process")
                .allowEmptyShould(true);
    }

    private static String outermost(JavaClass javaClass) {
        String name = javaClass.getName();
        int dollar = name.indexOf('$');
        return dollar < 0 ? name : name.substring(0, dollar);
    }

    /** Every dependency goes to one of these packages, written as ArchUnit does ({@code io.netty..}), or to the JDK. */
    public static ArchRule dependOnlyOn(String root, String... packages) {
        List<String> allowed = new ArrayList<>(Arrays.asList(packages));
        allowed.add(root + "..");
        allowed.add("java..");
        allowed.add("org.jspecify.annotations..");
        allowed.add("com.google.errorprone.annotations..");
        return classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyOf(allowed).or(describe("arrays of primitives", JavaClass::isPrimitive)))
                .allowEmptyShould(true);
    }

    /** Nothing outside these packages may know the library. */
    public static ArchRule libraryOnlyIn(String library, String... packages) {
        return noClasses()
                .that(DescribedPredicate.not(resideInAnyOf(Arrays.asList(packages))))
                .should()
                .dependOnClassesThat(resideInAPackage(library))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> resideInAnyOf(List<String> packages) {
        return JavaClass.Predicates.resideInAnyPackage(packages.toArray(String[]::new));
    }

    /** Packages with classes whose {@code package-info} is missing, or lacks {@code @NullMarked}. */
    public static Set<String> packagesNotNullMarked(JavaClasses classes) {
        Set<String> missing = new LinkedHashSet<>();
        for (JavaClass javaClass : classes) {
            JavaPackage javaPackage = javaClass.getPackage();
            if (!javaPackage.isAnnotatedWith(NullMarked.class)) {
                missing.add(javaPackage.getName());
            }
        }
        return missing;
    }

    /** Production types of the kind for which no test extends the contract kit of that kind. Each type's test is named after it. */
    public static Set<String> implementationsWithoutKit(
            JavaClasses production, JavaClasses tests, Class<?> kind, Class<?> kit) {
        Set<String> tested = new LinkedHashSet<>();
        for (JavaClass test : tests) {
            if (test.isAssignableTo(kit)) {
                tested.add(test.getSimpleName());
            }
        }
        Set<String> missing = new LinkedHashSet<>();
        for (JavaClass javaClass : production) {
            if (isConcreteTopLevel(javaClass)
                    && javaClass.isAssignableTo(kind)
                    && !tested.contains(javaClass.getSimpleName() + "Test")) {
                missing.add(javaClass.getName());
            }
        }
        return missing;
    }
}
