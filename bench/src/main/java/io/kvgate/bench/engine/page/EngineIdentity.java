package io.kvgate.bench.engine.page;

import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.model.EngineProfile;
import java.util.List;

/**
 * What about an engine does not change while it runs.
 *
 * @param models served names, the first is the main one
 * @param dpSize data-parallel ranks, each with a pool of its own
 * @param startedSeconds wall-clock time of the start, seconds since 1970
 */
public record EngineIdentity(
        EngineFlavour flavour, List<String> models, EngineProfile profile, int dpSize, long startedSeconds) {

    public EngineIdentity {
        models = List.copyOf(models);
    }

    String model() {
        return models.get(0);
    }
}
