package io.kvgate.kvevents.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.cache.CacheTrust;
import io.kvgate.core.cache.OverlapScores;
import io.kvgate.core.cache.PrefixQuery;
import io.kvgate.core.cache.TokenChain;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.kvevents.SourceId;
import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEventBatch;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KvBlockIndexTest {
    @ParameterizedTest(name = "{0}: {1} → {2}")
    @CsvSource(
            delimiter = ';',
            value = {
                "F50 chain; St(10,11|nil|AB) St(12|11|C); m(ABCD)=3 m(AC)=1 m(B)=0",
                "F51 middle removed; St(10,11|nil|AB) St(12|11|C) Rm(11); m(ABC)=1",
                "F52 middle stored again; St(10,11|nil|AB) St(12|11|C) Rm(11) St(11|10|B); m(ABC)=3",
                "F53 copies; St(10|nil|A) St(10|nil|A) Rm(10); m(A)=1",
                "F53 last copy; St(10|nil|A) St(10|nil|A) Rm(10) Rm(10); m(A)=0",
                "F54 unknown removal; St(10|nil|A) Rm(999) Rm(999); m(A)=1",
                "F54 no debt; Rm(10) St(10|nil|A); m(A)=1",
                "F55 orphan; St(12|11|C); m(C)=0 m(ABC)=0",
                "F55 orphan's parent comes; St(12|11|C) St(10,11|nil|AB); m(ABC)=3",
                "F55 two orphans; St(13|12|D) St(12|11|C) St(10,11|nil|AB); m(ABCD)=4",
                "F55 orphan removed; St(12|11|C) Rm(12) St(10,11|nil|AB); m(ABC)=2",
                "F55 orphan too old; St(12|11|C) Tick(61) St(10,11|nil|AB); m(ABC)=2",
                "F56 parent 0 is no parent; St(10|0|A); m(A)=1",
                "F56 unless 0 is a block; St(0|nil|A) St(10|0|B); m(AB)=2",
                "F57 two tiers; St(10|nil|A) St:cpu(10|nil|A) Rm(10); m(A)=1",
                "F57 both gone; St(10|nil|A) St:cpu(10|nil|A) Rm(10) Rm:cpu(10); m(A)=0",
                "F58 adapter; St:lora=x(10|nil|A) St(11|10|B); m(A)=0 m:lora=x(AB)=2 m:lora=y(A)=0",
                "F60 sparse; St:kind=sliding_window:group=1(21,23|nil|ABCD) St(10|nil|A); m(AB)=1",
                "F62 other group's removal; St:kind=full_attention:group=0(10|nil|A) St:kind=sliding_window:group=1(10|nil|A) Rm:group=1(10); m(A)=1",
                "F64 clear; St(10|nil|A) St(12|11|C) St:cpu(10|nil|A) Clr St(11|10|B); m(A)=0 m(AB)=0",
                "F65 placeholder, known; St(10|nil|A) St:cpu:size=0(10|nil|) Rm(10); m(A)=1",
                "F65 placeholder, unknown; St:cpu:size=0(10|nil|) ; m(A)=0",
                "F65 placeholder, told later; St:cpu:size=0(10|nil|) St(10|nil|A) Rm(10); m(A)=1",
                "F66 not its own; St:none:size=0(10|nil|) St:none(11|nil|A); m(A)=0",
                "F67 cycle; St(1|2|A) St(2|1|B); m(A)=0 m(B)=0 m(AB)=0",
                "F68 same hash elsewhere; St(10|nil|A) St@1(10|nil|B); m(A)=1 m(B)=0 m@1(A)=0 m@1(B)=1",
                "F69 two paths, first stays; St(10|nil|A) St(10|nil|B); m(A)=1 m(B)=0",
                "F70 two hashes, one path; St(10|nil|A) St(11|nil|A) Rm(10); m(A)=1",
                "F70 both gone; St(10|nil|A) St(11|nil|A) Rm(10) Rm(11); m(A)=0",
                "F75 salt like an adapter; St:lora=a(10|nil|A) St:salt=b(11|nil|A); m:salt=a(A)=0 m:lora=b(A)=0 m:lora=a(A)=1",
                "F82 salted; St:salt=t(10|nil|A); m(A)=0 m:salt=t(A)=1",
            })
    void events_scenario(String id, String events, String questions) {
        assertThat(new IndexScenario().run(events).wrong(questions)).as(id).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1} → {2}")
    @CsvSource(
            delimiter = ';',
            value = {
                "F72 pages in one event; St:size=1(1,2,3,4|nil|A); m(A)=1",
                "F72 a page short; St:size=1(1,2,3|nil|123); m(A)=0",
                "F72 page by page; St:size=1(1|nil|5) St:size=1(2|1|6) St:size=1(3|2|7) St:size=1(4|3|8); m(A)=0",
                "F72 middle page removed; St:size=1(1,2,3,4|nil|A) Rm(2); m(A)=0",
                "F72 and stored again by a page of two; St:size=2(1,2|nil|A) Rm(1); m(A)=0",
                "F72 two blocks of pages; St:size=1(1,2,3,4,5,6,7,8|nil|AB); m(AB)=2",
                "F72 second block's page removed; St:size=1(1,2,3,4,5,6,7,8|nil|AB) Rm(6); m(AB)=1",
                "F72 pages of two; St:size=2(1,2,3,4|nil|AB) Rm(4); m(AB)=1",
                "F72 pages and blocks; St:size=2(1,2|nil|A) St(9|2|B); m(AB)=2",
                "larger blocks are their own; St:size=8(1|nil|AB); m(AB)=2 m(A)=0",
            })
    void events_otherBlockSizes(String id, String events, String questions) {
        assertThat(new IndexScenario().run(events).wrong(questions)).as(id).isEmpty();
    }

    @Test
    void pages_middleOneComesBack_blockIsThereAgain() {
        IndexScenario scenario = new IndexScenario().run("St:size=1(1,2,3,4|nil|A)");
        assertThat(scenario.wrong("m(A)=1")).isEmpty();
        assertThat(scenario.run("Rm(2)").wrong("m(A)=0")).isEmpty();
        // The second token of the block of A, behind page 1.
        scenario.applyToFirst(new KvEvent.BlockStored(
                new long[] {2},
                1,
                true,
                new int[] {IndexScenario.tokens("A")[1]},
                1,
                null,
                null,
                null,
                CacheTier.DEVICE,
                KvEvent.NO_GROUP,
                null));
        assertThat(scenario.wrong("m(A)=1")).isEmpty();
    }

    @Test
    void match_wholePromptIsCached_lastTokenIsComputedAnyway() {
        // F80: three blocks cached, a prompt of exactly these: two can be reused.
        IndexScenario scenario = new IndexScenario().run("St(10,11,12|nil|ABC)");
        int[] tokens = IndexScenario.tokens("ABC");
        assertThat(scenario.tokensOfFirst(new PrefixQuery(null, null, tokens, tokens.length)))
                .isEqualTo(8);
    }

    @Test
    void match_manyHolders_allAreTold() {
        // F76, over more sources than one word has bits.
        WorkerFleet fleet = WorkerFleet.ready(150);
        KvBlockIndex index = new KvBlockIndex(new TokenChain(7), 4, OrphanLimits.DEFAULT);
        for (Worker worker : fleet.workers()) {
            SourceId id = IndexScenario.source(worker);
            index.add(id);
            index.trust(id, CacheTrust.EXACT);
            index.apply(id, stored(10, "A"), 0);
        }
        Worker[] workers = fleet.workers().toArray(new Worker[0]);
        OverlapScores scores = new OverlapScores();
        int[] tokens = IndexScenario.tokens("AB");
        index.match(new PrefixQuery(null, null, tokens, tokens.length), workers, workers.length, scores);
        for (int i = 0; i < workers.length; i++) {
            assertThat(scores.tokens(i)).as("worker %d", i).isEqualTo(4);
            assertThat(scores.trust(i)).isEqualTo(CacheTrust.EXACT);
        }
    }

    private static KvEventBatch stored(long hash, String letters) {
        KvEvent event = new KvEvent.BlockStored(
                new long[] {hash},
                0,
                false,
                IndexScenario.tokens(letters),
                4,
                null,
                null,
                null,
                CacheTier.DEVICE,
                KvEvent.NO_GROUP,
                null);
        return new KvEventBatch(0, List.of(event), 0, 0, 0, 0);
    }

    @Test
    void remove_numberIsUsedAgain_nothingOfTheOldOneShows() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        KvBlockIndex index = new KvBlockIndex(new TokenChain(7), 4, OrphanLimits.DEFAULT);
        SourceId first = IndexScenario.source(fleet.worker(0));
        SourceId second = IndexScenario.source(fleet.worker(1));
        index.add(first);
        index.apply(first, stored(10, "A"), 0);
        index.remove(first);
        index.add(second);
        OverlapScores scores = new OverlapScores();
        int[] tokens = IndexScenario.tokens("AB");
        Worker[] workers = fleet.workers().toArray(new Worker[0]);
        index.match(new PrefixQuery(null, null, tokens, tokens.length), workers, 2, scores);
        assertThat(scores.tokens(0)).isZero();
        assertThat(scores.tokens(1)).isZero();
        assertThat(index.liveKeys()).isZero();
        assertThat(index.trust(fleet.worker(0))).isEqualTo(CacheTrust.NONE);
    }

    @Test
    void trust_severalRanks_isTheLeast() {
        WorkerFleet fleet = WorkerFleet.ready(1);
        Worker worker = fleet.worker(0);
        KvBlockIndex index = new KvBlockIndex(new TokenChain(7), 4, OrphanLimits.DEFAULT);
        for (int rank = 0; rank < 2; rank++) {
            index.add(new SourceId(worker.id(), rank));
        }
        index.trust(new SourceId(worker.id(), 0), CacheTrust.EXACT);
        assertThat(index.trust(worker)).isEqualTo(CacheTrust.NONE);
        index.trust(new SourceId(worker.id(), 1), CacheTrust.RECOVERING);
        assertThat(index.trust(worker)).isEqualTo(CacheTrust.RECOVERING);
        index.trust(new SourceId(worker.id(), 1), CacheTrust.EXACT);
        assertThat(index.trust(worker)).isEqualTo(CacheTrust.EXACT);
    }
}
