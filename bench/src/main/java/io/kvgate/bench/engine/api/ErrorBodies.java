package io.kvgate.bench.engine.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Error bodies as the engines write them. */
public final class ErrorBodies {

    private ErrorBodies() {}

    /** The body for a refused or failed request on {@code path}. */
    public static JsonNode of(EngineFlavour flavour, String path, int status, String message) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (flavour == EngineFlavour.VLLM) {
            ObjectNode error = body.putObject("error");
            error.put("message", message);
            error.put("type", vllmType(status));
            error.putNull("param");
            error.put("code", status);
        } else if (path.startsWith("/v1/")) {
            body.put("object", "error");
            body.put("message", message);
            body.put("type", status < 500 ? "BadRequestError" : "InternalServerError");
            body.putNull("param");
            body.put("code", status);
        } else {
            body.putObject("error").put("message", message);
        }
        return body;
    }

    /** What the web framework says about a path it has no route for, or not for this method. */
    public static JsonNode unrouted(int status) {
        return JsonNodeFactory.instance.objectNode().put("detail", status == 405 ? "Method Not Allowed" : "Not Found");
    }

    /** The answer to a wrong or missing key. */
    public static JsonNode unauthorized() {
        return JsonNodeFactory.instance.objectNode().put("error", "Unauthorized");
    }

    private static String vllmType(int status) {
        return switch (status) {
            case 400 -> "BadRequestError";
            case 404 -> "NotFoundError";
            case 429 -> "RateLimitError";
            case 503 -> "ServiceUnavailableError";
            default -> status < 500 ? "BadRequestError" : "InternalServerError";
        };
    }
}
