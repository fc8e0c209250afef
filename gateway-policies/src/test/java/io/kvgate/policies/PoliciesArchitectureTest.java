package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.kvgate.core.architecture.ArchitectureRules;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

final class PoliciesArchitectureTest {
    private static final String ROOT = "io.kvgate.policies";
    private static final JavaClasses CLASSES = ArchitectureRules.productionClasses(ROOT);

    @Test
    void classes_areFound() {
        assertThat(CLASSES).hasSizeGreaterThan(8);
    }

    @TestFactory
    Stream<DynamicTest> commonRules_hold() {
        return ArchitectureRules.common(Map.of()).stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(CLASSES)));
    }

    @Test
    void dependencies_onlyOnTheCore() {
        ArchitectureRules.dependOnlyOn(ROOT, "io.kvgate.core..", "org.slf4j..", "com.dynatrace.hash4j..")
                .check(CLASSES);
    }

    @Test
    void packages_areNullMarked() {
        assertThat(ArchitectureRules.packagesNotNullMarked(CLASSES)).isEmpty();
    }

    @Test
    void policies_allPassTheContract() {
        assertThat(ArchitectureRules.implementationsWithoutKit(
                        CLASSES,
                        ArchitectureRules.testClasses(ROOT),
                        LoadBalancingPolicy.class,
                        LoadBalancingPolicyContract.class))
                .isEmpty();
    }
}
