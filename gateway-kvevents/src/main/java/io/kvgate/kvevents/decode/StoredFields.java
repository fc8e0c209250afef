package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a BlockStored. By position: hashes, parent, tokens, block size, LoRA id, medium, LoRA name (or SGLang's metadata), extra
 * keys, group, kind of the group, its window.
 *
 * <p>Threading: as the decoder that owns it.
 */
final class StoredFields extends EventFields {
    private static final int NOT_GIVEN = -1;

    private final TokenReader tokenReader = new TokenReader();
    private long @Nullable [] hashes;
    private int @Nullable [] tokens;
    private long parent;
    private boolean hasParent;
    private int blockSize;
    private @Nullable String medium;
    private @Nullable String locality;
    private @Nullable String loraName;
    private @Nullable String salt;
    private @Nullable String kind;
    private int group;
    private int extrasAt;

    StoredFields cleared() {
        hashes = null;
        tokens = null;
        hasParent = false;
        parent = 0;
        blockSize = NOT_GIVEN;
        medium = null;
        locality = null;
        loraName = null;
        salt = null;
        kind = null;
        group = KvEvent.NO_GROUP;
        extrasAt = NOT_GIVEN;
        return this;
    }

    @Override
    void readSlot(int slot, MsgpackCursor cursor) throws MalformedEventException {
        switch (slot) {
            case 1 -> hashes = WireValues.hashes(cursor);
            case 2 -> readParent(cursor);
            case 3 -> tokens = tokenReader.read(cursor);
            case 4 -> blockSize = WireValues.smallInt(cursor);
            case 6 -> medium = WireValues.text(cursor);
            case 7 -> readNameOrMetadata(cursor);
            case 8 -> extrasAt = skipped(cursor);
            case 9 -> group = WireValues.group(cursor);
            case 10 -> kind = WireValues.text(cursor);
            default -> cursor.skip();
        }
    }

    @Override
    void readMember(String name, MsgpackCursor cursor) throws MalformedEventException {
        switch (name) {
            case "block_hashes" -> hashes = WireValues.hashes(cursor);
            case "parent_block_hash" -> readParent(cursor);
            case "token_ids" -> tokens = tokenReader.read(cursor);
            case "block_size" -> blockSize = WireValues.smallInt(cursor);
            case "medium" -> medium = WireValues.text(cursor);
            case "lora_name" -> loraName = WireValues.text(cursor);
            case "cache_salt" -> salt = WireValues.text(cursor);
            case "extra_keys" -> extrasAt = skipped(cursor);
            case "group_idx" -> group = WireValues.group(cursor);
            case "kv_cache_spec_kind" -> kind = WireValues.text(cursor);
            case "locality" -> locality = WireValues.text(cursor);
            default -> cursor.skip();
        }
    }

    private void readParent(MsgpackCursor cursor) throws MalformedEventException {
        hasParent = !cursor.takeNil();
        parent = hasParent ? WireValues.hash(cursor) : 0;
    }

    /** vLLM puts the adapter's name here, SGLang a map. */
    private void readNameOrMetadata(MsgpackCursor cursor) throws MalformedEventException {
        if (cursor.peek() != MsgpackCursor.Type.MAP) {
            loraName = WireValues.text(cursor);
            return;
        }
        int pairs = cursor.readMap();
        for (int i = 0; i < pairs; i++) {
            if (cursor.readString().equals("cache_salt")) {
                salt = WireValues.text(cursor);
            } else {
                cursor.skip();
            }
        }
    }

    /** What extra keys mean depends on fields that may come later, so they are read last. */
    private static int skipped(MsgpackCursor cursor) throws MalformedEventException {
        if (cursor.takeNil()) {
            return NOT_GIVEN;
        }
        int start = cursor.position();
        cursor.skip();
        return start;
    }

    @Override
    @Nullable
    KvEvent built(MsgpackCursor cursor) throws MalformedEventException {
        if (hashes == null || tokens == null || blockSize == NOT_GIVEN) {
            throw new MalformedEventException("store without hashes, tokens or block size");
        }
        if (hashes.length == 0) {
            return null;
        }
        if (hasParent && hashes[0] == parent) {
            throw new MalformedEventException("block is its own parent");
        }
        long[] extras = null;
        if (extrasAt != NOT_GIVEN) {
            ExtraKeys read = ExtraKeys.read(cursor, extrasAt, hashes.length, loraName, !hasParent);
            extras = read.perBlock();
            salt = read.salt() == null ? salt : read.salt();
        }
        CacheTier tier = WireValues.isLocal(locality) ? CacheTier.of(medium) : CacheTier.NONE;
        String adapter = loraName == null || loraName.isEmpty() ? null : loraName;
        return new KvEvent.BlockStored(
                hashes,
                parent,
                hasParent,
                tokens,
                blockSize,
                adapter,
                salt,
                extras,
                tier,
                group,
                kind == null || kind.isEmpty() ? null : kind);
    }

    @Override
    boolean hasUnknownMedium() {
        return !CacheTier.isKnown(medium);
    }
}
