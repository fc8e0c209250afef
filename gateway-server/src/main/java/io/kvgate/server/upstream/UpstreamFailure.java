package io.kvgate.server.upstream;

import io.kvgate.core.error.ErrorCode;

/**
 * Why a call ended without a whole response.
 *
 * @param code connect error or timeout, reset, protocol error; the caller's own timers use the others
 * @param cause in words that name no address: may reach a client
 * @param detail for the log only; may name addresses
 * @param stale a kept connection turned out to be closed before any byte of a response came: the worker is not to blame
 */
public record UpstreamFailure(ErrorCode code, String cause, String detail, boolean stale) {}
