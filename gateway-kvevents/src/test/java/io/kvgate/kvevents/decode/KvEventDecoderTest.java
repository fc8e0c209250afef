package io.kvgate.kvevents.decode;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.kvevents.event.KvEventBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class KvEventDecoderTest {
    private static final long SEED = 20_261_129L;

    private static Stream<Arguments> goldenBatches() throws IOException {
        return lines().stream()
                .map(line -> line.split("\\|", -1))
                .map(parts -> Arguments.of(parts[0].strip(), parts[1].strip(), parts[2].strip()));
    }

    private static List<String> lines() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                requireNonNull(KvEventDecoderTest.class.getResourceAsStream("/golden-batches.txt")),
                StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.startsWith("#")).toList();
        }
    }

    private static String decoded(byte[] payload) {
        try {
            return EventText.of(new KvEventDecoder().decode(payload)).strip();
        } catch (MalformedEventException e) {
            return "malformed: " + e.getMessage();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goldenBatches")
    void decode_golden(String id, String payload, String expected) {
        assertThat(decoded(HexFormat.of().parseHex(payload))).as(id).isEqualTo(expected);
    }

    @Test
    void decode_integerTimestamp_isTheSecond() throws MalformedEventException {
        KvEventBatch batch = new KvEventDecoder().decode(HexFormat.of().parseHex("93ce684ee1809000"));
        assertThat(batch.timestampSeconds()).isEqualTo(1_750_000_000.0);
    }

    @Test
    void decode_nestedDeep_isRefusedWithoutRecursion() {
        byte[] deep = new byte[20_000];
        Arrays.fill(deep, (byte) 0x91);
        assertThatThrownBy(() -> new KvEventDecoder().decode(deep)).isInstanceOf(MalformedEventException.class);
    }

    @Test
    void decode_deepUnknownSlot_costsOnlyTheBatch() {
        // A batch whose fourth slot is nested forty deep: it can't be skipped, so its end is not known.
        byte[] payload = HexFormat.of().parseHex("94cb41da13b8602000009000" + "91".repeat(40) + "c0");
        assertThat(decoded(payload)).isEqualTo("malformed: nested deeper than 32");
    }

    @Test
    void decode_anyCutOfAGoldenBatch_isMalformed() throws IOException {
        for (String line : lines()) {
            if (line.startsWith("E")) {
                byte[] whole = HexFormat.of().parseHex(line.split("\\|", -1)[1].strip());
                for (int length = 0; length < whole.length; length++) {
                    assertThat(decoded(Arrays.copyOf(whole, length))).as(line).startsWith("malformed: ");
                }
            }
        }
    }

    @Test
    void decode_anyChangedByte_endsAndThrowsOnlyWhatItDeclares() throws IOException {
        Random random = new Random(SEED);
        for (String line : lines()) {
            byte[] whole = HexFormat.of().parseHex(line.split("\\|", -1)[1].strip());
            for (int round = 0; round < 2_000 && whole.length > 0; round++) {
                byte[] changed = whole.clone();
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
                }
                assertThat(decoded(changed)).as("seed %d, %s", SEED, line).isNotNull();
            }
        }
    }

    @Test
    void decode_randomBytes_endAndThrowOnlyWhatIsDeclared() {
        Random random = new Random(SEED);
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            assertThat(decoded(bytes)).as("seed %d, round %d", SEED, round).isNotNull();
        }
    }
}
