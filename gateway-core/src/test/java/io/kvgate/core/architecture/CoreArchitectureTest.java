package io.kvgate.core.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.kvgate.core.architecture.ArchitectureRules.BannedCall;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistryContract;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

final class CoreArchitectureTest {
    private static final String ROOT = "io.kvgate.core";
    private static final JavaClasses CLASSES = ArchitectureRules.productionClasses(ROOT);
    private static final Map<BannedCall, Set<String>> ALLOWED =
            Map.of(BannedCall.NANO_TIME, Set.of("io.kvgate.core.time.Ticker"));

    @Test
    void classes_areFound() {
        assertThat(CLASSES).hasSizeGreaterThan(40);
    }

    @TestFactory
    Stream<DynamicTest> commonRules_hold() {
        return ArchitectureRules.common(ALLOWED).stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(CLASSES)));
    }

    @Test
    void dependencies_onlyOfTheCore() {
        ArchitectureRules.dependOnlyOn(ROOT, "org.slf4j..").check(CLASSES);
    }

    @Test
    void packages_pointOneWay() {
        check(
                "io.kvgate.core.time..",
                Set.of("error", "metrics", "resilience", "worker", "health", "request", "agent"));
        check("io.kvgate.core.error..", Set.of("metrics", "resilience", "worker", "health", "request", "agent"));
        check("io.kvgate.core.metrics..", Set.of("resilience", "worker", "health", "request", "agent"));
        check("io.kvgate.core.agent..", Set.of("metrics", "resilience", "worker", "health", "request"));
        check("io.kvgate.core.resilience..", Set.of("worker", "health", "request", "agent"));
        check("io.kvgate.core.worker..", Set.of("health", "request", "agent"));
    }

    private static void check(String lower, Set<String> higher) {
        for (String name : higher) {
            ArchRule rule = ArchRuleDefinition.noClasses()
                    .that()
                    .resideInAPackage(lower)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.kvgate.core." + name + "..");
            rule.check(CLASSES);
        }
    }

    @Test
    void packages_areNullMarked() {
        assertThat(ArchitectureRules.packagesNotNullMarked(CLASSES)).isEmpty();
    }

    @Test
    void metricsRegistries_passTheContract() {
        assertThat(ArchitectureRules.implementationsWithoutKit(
                        CLASSES,
                        ArchitectureRules.testClasses(ROOT),
                        MetricsRegistry.class,
                        MetricsRegistryContract.class))
                .isEmpty();
    }
}
