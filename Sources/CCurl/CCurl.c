#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// libcurl's names for these, from curl/curl.h and curl/urlapi.h.
enum option {
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_PROXY = 10004,
    OPTION_ERRORBUFFER = 10010,
    OPTION_USERAGENT = 10018,
    OPTION_LOW_SPEED_LIMIT = 19,
    OPTION_LOW_SPEED_TIME = 20,
    OPTION_HTTPHEADER = 10023,
    OPTION_HEADERDATA = 10029,
    OPTION_NOPROGRESS = 43,
    OPTION_FOLLOWLOCATION = 52,
    OPTION_XFERINFODATA = 10057,
    OPTION_SSL_VERIFYPEER = 64,
    OPTION_SSL_VERIFYHOST = 81,
    OPTION_NOSIGNAL = 99,
    OPTION_ACCEPT_ENCODING = 10102,
    OPTION_TIMEOUT_MS = 155,
    OPTION_CONNECTTIMEOUT_MS = 156,
    OPTION_PROTOCOLS = 181,
    OPTION_RESOLVE = 10203,
    OPTION_WRITEFUNCTION = 20011,
    OPTION_HEADERFUNCTION = 20079,
    OPTION_XFERINFOFUNCTION = 20219,
    OPTION_MAXFILESIZE_LARGE = 30117,
};
enum info {
    INFO_CONTENT_TYPE = 0x100000 + 18,
    INFO_REDIRECT_URL = 0x100000 + 31,
    INFO_RESPONSE_CODE = 0x200000 + 2,
};
enum { PROTOCOLS_HTTP_AND_HTTPS = 1 | 2, GLOBAL_DEFAULT = 3, CODE_OUT_OF_MEMORY = 27 };
enum { PART_URL = 0, PART_SCHEME = 1, PART_HOST = 5, PART_PORT = 6, URL_DEFAULT_PORT = 1 };

typedef struct curl_handle curl_handle;
typedef struct curl_strings curl_strings;
typedef struct curl_address curl_address;

static struct {
    void *library;
    int (*global_init)(long flags);
    curl_handle *(*easy_init)(void);
    int (*easy_setopt)(curl_handle *, int option, ...);
    int (*easy_perform)(curl_handle *);
    int (*easy_getinfo)(curl_handle *, int info, ...);
    const char *(*easy_strerror)(int code);
    void (*easy_cleanup)(curl_handle *);
    curl_strings *(*slist_append)(curl_strings *, const char *);
    void (*slist_free_all)(curl_strings *);
    curl_address *(*url)(void);
    int (*url_set)(curl_address *, int part, const char *text, unsigned flags);
    int (*url_get)(curl_address *, int part, char **text, unsigned flags);
    void (*url_cleanup)(curl_address *);
    void (*free)(void *);
} curl;

static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    if (!address) return 0;
    memcpy(function, &address, sizeof address);
    return 1;
}

const char *ccurl_open(void) {
    if (curl.library) return NULL;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    int found = find(library, "curl_global_init", &curl.global_init) &&
                find(library, "curl_easy_init", &curl.easy_init) &&
                find(library, "curl_easy_setopt", &curl.easy_setopt) &&
                find(library, "curl_easy_perform", &curl.easy_perform) &&
                find(library, "curl_easy_getinfo", &curl.easy_getinfo) &&
                find(library, "curl_easy_strerror", &curl.easy_strerror) &&
                find(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
                find(library, "curl_slist_append", &curl.slist_append) &&
                find(library, "curl_slist_free_all", &curl.slist_free_all) &&
                find(library, "curl_url", &curl.url) &&
                find(library, "curl_url_set", &curl.url_set) &&
                find(library, "curl_url_get", &curl.url_get) &&
                find(library, "curl_url_cleanup", &curl.url_cleanup) &&
                find(library, "curl_free", &curl.free);
    if (!found) {
        dlclose(library);
        return "the libcurl.so.4 found lacks functions";
    }
    int code = curl.global_init(GLOBAL_DEFAULT);
    if (code != 0) return curl.easy_strerror(code);
    curl.library = library;
    return NULL;
}

static size_t take_body(char *octets, size_t size, size_t count, void *context) {
    const struct ccurl_request *request = context;
    size_t total = size * count;
    return request->body(request->context, (const uint8_t *)octets, total) ? total : total + 1;
}

static size_t take_header(char *octets, size_t size, size_t count, void *context) {
    const struct ccurl_request *request = context;
    request->header(request->context, (const uint8_t *)octets, size * count);
    return size * count;
}

static int take_progress(void *context, int64_t total, int64_t done, int64_t up_total,
                         int64_t up_done) {
    const struct ccurl_request *request = context;
    (void)up_total;
    (void)up_done;
    request->progress(request->context, done, total);
    return 0;
}

/// A list of libcurl of these strings; *failed is set when there is no memory for it.
static curl_strings *list_of(const char *const *strings, int *failed) {
    curl_strings *list = NULL;
    for (; *strings; strings++) {
        curl_strings *longer = curl.slist_append(list, *strings);
        if (!longer) {
            *failed = 1;
            break;
        }
        list = longer;
    }
    return list;
}

static int configure(curl_handle *handle, const struct ccurl_request *request,
                     struct ccurl_response *response, curl_strings *headers,
                     curl_strings *resolve) {
    int failed = 0;
#define SET(option, type, value) failed |= curl.easy_setopt(handle, option, (type)(value))
    SET(OPTION_ERRORBUFFER, char *, response->error);
    SET(OPTION_URL, const char *, request->url);
    SET(OPTION_USERAGENT, const char *, request->user_agent);
    SET(OPTION_PROTOCOLS, long, PROTOCOLS_HTTP_AND_HTTPS);
    SET(OPTION_FOLLOWLOCATION, long, 0);
    // A proxy of the environment would look hosts up elsewhere.
    SET(OPTION_PROXY, const char *, "");
    SET(OPTION_NOSIGNAL, long, 1);
    SET(OPTION_SSL_VERIFYPEER, long, 1);
    SET(OPTION_SSL_VERIFYHOST, long, 2);
    SET(OPTION_CONNECTTIMEOUT_MS, long, request->connect_milliseconds);
    SET(OPTION_TIMEOUT_MS, long, request->total_milliseconds);
    SET(OPTION_LOW_SPEED_LIMIT, long, request->slow_octets);
    SET(OPTION_LOW_SPEED_TIME, long, request->slow_seconds);
    SET(OPTION_MAXFILESIZE_LARGE, int64_t, request->most_octets);
    SET(OPTION_WRITEFUNCTION, size_t (*)(char *, size_t, size_t, void *), take_body);
    SET(OPTION_WRITEDATA, const void *, request);
    SET(OPTION_HEADERFUNCTION, size_t (*)(char *, size_t, size_t, void *), take_header);
    SET(OPTION_HEADERDATA, const void *, request);
    SET(OPTION_XFERINFOFUNCTION, int (*)(void *, int64_t, int64_t, int64_t, int64_t),
        take_progress);
    SET(OPTION_XFERINFODATA, const void *, request);
    SET(OPTION_NOPROGRESS, long, 0);
    SET(OPTION_HTTPHEADER, curl_strings *, headers);
    SET(OPTION_RESOLVE, curl_strings *, resolve);
    // The empty text offers every packing that this libcurl can undo.
    SET(OPTION_ACCEPT_ENCODING, const char *, "");
#undef SET
    return failed;
}

int ccurl_perform(const struct ccurl_request *request, struct ccurl_response *response) {
    memset(response, 0, sizeof *response);
    curl_handle *handle = curl.easy_init();
    if (!handle) return CODE_OUT_OF_MEMORY;
    int failed = 0;
    curl_strings *headers = list_of(request->headers, &failed);
    curl_strings *resolve = list_of(request->resolve, &failed);
    int code = CODE_OUT_OF_MEMORY;
    if (!failed) code = configure(handle, request, response, headers, resolve);
    if (code == 0) code = curl.easy_perform(handle);
    long status = 0;
    if (curl.easy_getinfo(handle, INFO_RESPONSE_CODE, &status) == 0)
        response->status = (int32_t)status;
    const char *text = NULL;
    if (curl.easy_getinfo(handle, INFO_CONTENT_TYPE, &text) == 0 && text)
        strncpy(response->content_type, text, sizeof response->content_type - 1);
    text = NULL;
    if (curl.easy_getinfo(handle, INFO_REDIRECT_URL, &text) == 0 && text &&
        strlen(text) < sizeof response->redirect)
        strcpy(response->redirect, text);
    if (code != 0 && !response->error[0])
        strncpy(response->error, curl.easy_strerror(code), sizeof response->error - 1);
    curl.easy_cleanup(handle);
    curl.slist_free_all(headers);
    curl.slist_free_all(resolve);
    return code;
}

static int part(curl_address *address, int part, char *buffer, size_t size) {
    char *text = NULL;
    if (curl.url_get(address, part, &text, URL_DEFAULT_PORT) != 0 || !text) return 0;
    int fits = strlen(text) < size;
    if (fits) strcpy(buffer, text);
    curl.free(text);
    return fits;
}

int ccurl_split(const char *url, char *scheme, size_t scheme_size, char *host, size_t host_size,
                uint16_t *port) {
    curl_address *address = curl.url();
    if (!address) return 0;
    char digits[8] = "";
    int good = curl.url_set(address, PART_URL, url, 0) == 0 &&
               part(address, PART_SCHEME, scheme, scheme_size) &&
               part(address, PART_HOST, host, host_size) &&
               part(address, PART_PORT, digits, sizeof digits);
    curl.url_cleanup(address);
    long number = good ? strtol(digits, NULL, 10) : 0;
    *port = (uint16_t)number;
    return good && number > 0 && number <= 65535;
}
