package io.kvgate.bench.engine.api;

/** Which engine is imitated; decides the paths, the error bodies and the names of the metrics. */
public enum EngineFlavour {
    VLLM,
    SGLANG
}
