#ifndef SLUICE_CYAML_SHIM_H
#define SLUICE_CYAML_SHIM_H

/*
 * libyaml's event parser, flattened: its events are a tagged union of pointers, which would have to
 * be taken apart with unsafe code at each use. Here one call fills one flat record, so that the
 * Swift side has a single place that reads through a pointer.
 */

#include <stdint.h>
#include <stdlib.h>
#include <yaml.h>

/* What an event is. */
enum sluice_yaml_kind {
    SLUICE_YAML_NOTHING = 0,
    SLUICE_YAML_STREAM_END = 1,
    SLUICE_YAML_DOCUMENT_START = 2,
    SLUICE_YAML_SCALAR = 3,
    SLUICE_YAML_SEQUENCE_START = 4,
    SLUICE_YAML_SEQUENCE_END = 5,
    SLUICE_YAML_MAPPING_START = 6,
    SLUICE_YAML_MAPPING_END = 7,
    SLUICE_YAML_ALIAS = 8,
    SLUICE_YAML_ERROR = 9
};

/*
 * One event. `line` and `column` count from 0, the column in characters. `text` is the scalar's
 * value, or, of an error, libyaml's phrase; it lives until the next call on the same reader.
 */
typedef struct {
    int32_t kind;
    int32_t is_plain;
    int32_t has_anchor;
    int32_t has_tag;
    uint64_t line;
    uint64_t column;
    const unsigned char *text;
    size_t text_size;
} sluice_yaml_event;

/* A parser, the input that it borrows, and the event that owns the current text. */
typedef struct {
    yaml_parser_t parser;
    yaml_event_t event;
    int32_t has_event;
} sluice_yaml_reader;

/*
 * A reader of `size` octets of UTF-8, which must outlive it; NULL without memory.
 * The encoding is fixed, so that no byte order mark can choose another one.
 */
static inline sluice_yaml_reader *sluice_yaml_open(const unsigned char *input, size_t size) {
    sluice_yaml_reader *reader = (sluice_yaml_reader *)calloc(1, sizeof *reader);
    if (!reader) return NULL;
    if (!yaml_parser_initialize(&reader->parser)) {
        free(reader);
        return NULL;
    }
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader->parser, input, size);
    return reader;
}

/* Ends a reader and the text of its last event. */
static inline void sluice_yaml_close(sluice_yaml_reader *reader) {
    if (!reader) return;
    if (reader->has_event) yaml_event_delete(&reader->event);
    yaml_parser_delete(&reader->parser);
    free(reader);
}

/* The length of a C string, 0 for NULL. */
static inline size_t sluice_yaml_text_size(const unsigned char *text) {
    size_t size = 0;
    while (text && text[size]) size++;
    return size;
}

/* The next event. After SLUICE_YAML_ERROR or SLUICE_YAML_STREAM_END only close the reader. */
static inline sluice_yaml_event sluice_yaml_next(sluice_yaml_reader *reader) {
    sluice_yaml_event out = {0};
    if (reader->has_event) yaml_event_delete(&reader->event);
    reader->has_event = 0;
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
        const yaml_parser_t *parser = &reader->parser;
        /* The reader stage has no mark of its own for the octet that is no UTF-8. */
        int has_mark = parser->error != YAML_READER_ERROR && parser->error != YAML_MEMORY_ERROR;
        out.kind = SLUICE_YAML_ERROR;
        out.line = has_mark ? parser->problem_mark.line : parser->mark.line;
        out.column = has_mark ? parser->problem_mark.column : parser->mark.column;
        out.text = (const unsigned char *)parser->problem;
        out.text_size = sluice_yaml_text_size(out.text);
        return out;
    }
    reader->has_event = 1;
    const yaml_event_t *event = &reader->event;
    out.line = event->start_mark.line;
    out.column = event->start_mark.column;
    switch (event->type) {
    case YAML_STREAM_END_EVENT:
        out.kind = SLUICE_YAML_STREAM_END;
        break;
    case YAML_DOCUMENT_START_EVENT:
        out.kind = SLUICE_YAML_DOCUMENT_START;
        break;
    case YAML_ALIAS_EVENT:
        out.kind = SLUICE_YAML_ALIAS;
        break;
    case YAML_SCALAR_EVENT:
        out.kind = SLUICE_YAML_SCALAR;
        out.text = event->data.scalar.value;
        out.text_size = event->data.scalar.length;
        out.is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        out.has_anchor = event->data.scalar.anchor != NULL;
        out.has_tag = event->data.scalar.tag != NULL;
        break;
    case YAML_SEQUENCE_START_EVENT:
        out.kind = SLUICE_YAML_SEQUENCE_START;
        out.has_anchor = event->data.sequence_start.anchor != NULL;
        out.has_tag = event->data.sequence_start.tag != NULL;
        break;
    case YAML_SEQUENCE_END_EVENT:
        out.kind = SLUICE_YAML_SEQUENCE_END;
        break;
    case YAML_MAPPING_START_EVENT:
        out.kind = SLUICE_YAML_MAPPING_START;
        out.has_anchor = event->data.mapping_start.anchor != NULL;
        out.has_tag = event->data.mapping_start.tag != NULL;
        break;
    case YAML_MAPPING_END_EVENT:
        out.kind = SLUICE_YAML_MAPPING_END;
        break;
    default:
        out.kind = SLUICE_YAML_NOTHING;
        break;
    }
    return out;
}

#endif
