// The wall to libcurl: one transfer at a time over http and https, with plain C types only.
//
// libcurl.so.4 is opened on first use, so that commands which fetch nothing do not pay for it and
// run without it. Its header is not needed to build: the numbers of its options are part of its
// ABI and never change (curl's docs/libcurl/ABI.md); CCurl.c names those that are used.
// Not for several threads at once.
#ifndef SLUICE_CCURL_H
#define SLUICE_CCURL_H

#include <stddef.h>
#include <stdint.h>

/// Opens the library unless it is open; NULL when it is there, else what the loader says.
const char *ccurl_open(void);

/// What is asked for. Lists of strings end with a null pointer.
struct ccurl_request {
    const char *url;
    const char *user_agent;
    /// `Name: value` each.
    const char *const *headers;
    /// `HOST:PORT:ADDRESS[,ADDRESS]` each: hosts are looked up here first.
    const char *const *resolve;
    int64_t connect_milliseconds;
    int64_t total_milliseconds;
    /// Fewer octets a second than this, for so many seconds, end the transfer.
    int64_t slow_octets;
    int64_t slow_seconds;
    /// A server that announces more octets than this, as sent, is not read.
    int64_t most_octets;
    void *context;
    /// Takes octets of the body, unpacked; 0 ends the transfer.
    int (*body)(void *context, const uint8_t *octets, size_t size);
    /// Takes one line of the header.
    void (*header)(void *context, const uint8_t *octets, size_t size);
    /// Octets as sent so far, and in all; 0 when not known.
    void (*progress)(void *context, int64_t done, int64_t total);
};

/// What came of it.
struct ccurl_response {
    /// The HTTP status; 0 when there was none.
    int32_t status;
    /// Empty when there was none.
    char content_type[128];
    /// Where a redirect leads, as a whole address; empty when there is none or it is too long.
    char redirect[2049];
    /// What went wrong, for people.
    char error[256];
};

/// Makes the transfer; redirects are not followed. Needs `ccurl_open`.
/// Returns 0, or libcurl's code of what went wrong.
int ccurl_perform(const struct ccurl_request *request, struct ccurl_response *response);

/// The scheme, host (an IPv6 address in brackets) and port of an address, as the transfer reads
/// it. Needs `ccurl_open`. Returns 1 when it can be read and fits.
int ccurl_split(const char *url, char *scheme, size_t scheme_size, char *host, size_t host_size,
                uint16_t *port);

#endif
