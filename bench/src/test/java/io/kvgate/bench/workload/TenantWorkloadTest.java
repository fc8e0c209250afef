package io.kvgate.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TenantWorkloadTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TenantWorkload.Shape SHAPE = new TenantWorkload.Shape("llama", 10, 50, 6, 4);

    @Test
    void next_drawsTenantsUniformlyAndNeverRepeatsATurn() throws IOException {
        int count = 5_000;
        Map<String, Integer> perTenant = new HashMap<>();
        Set<String> turns = new HashSet<>();
        TenantWorkload workload = new TenantWorkload(SHAPE, 21);
        for (int i = 0; i < count; i++) {
            JsonNode messages = JSON.readTree(workload.next()).path("messages");
            perTenant.merge(messages.path(0).path("content").textValue(), 1, Integer::sum);
            turns.add(messages.path(1).path("content").textValue());
        }

        assertThat(perTenant).hasSize(10);
        // Four standard deviations of a count of 500 are 85.
        assertThat(perTenant.values()).allMatch(n -> n > 415 && n < 585);
        assertThat(turns).hasSize(count);
    }

    @Test
    void next_sameSeed_givesTheSameBodies() {
        assertThat(first(20, 1)).isEqualTo(first(20, 1)).isNotEqualTo(first(20, 2));
    }

    @Test
    void next_asksForAStreamWithUsageAndALimit() throws IOException {
        JsonNode body = JSON.readTree(new TenantWorkload(SHAPE, 1).next());

        assertThat(body.path("model").textValue()).isEqualTo("llama");
        assertThat(body.path("stream").booleanValue()).isTrue();
        assertThat(body.path("stream_options").path("include_usage").booleanValue())
                .isTrue();
        assertThat(body.path("max_tokens").intValue()).isEqualTo(4);
    }

    @Test
    void shape_withoutTenants_isRefused() {
        assertThatThrownBy(() -> new TenantWorkload.Shape("m", 0, 1, 1, 1)).hasMessageContaining("tenants: 0");
    }

    private static List<String> first(int count, long seed) {
        TenantWorkload workload = new TenantWorkload(SHAPE, seed);
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bodies.add(new String(workload.next(), java.nio.charset.StandardCharsets.UTF_8));
        }
        return bodies;
    }
}
