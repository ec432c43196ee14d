import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseProxy } from "../config/trusted-proxies.ts";
import { clientBucket } from "./client-address.ts";

const proxies = (...entries: string[]) => entries.flatMap((entry) => parseProxy(entry) ?? []);

const TRUSTED = proxies("loopback", "10.0.0.0/8", "2001:db8:ffff::/48");

describe("who is asking", () => {
  test.each([
    ["the peer itself", "203.0.113.7", null, "203.0.113.7"],
    ["an IPv6 peer, by its network", "2001:db8:1:2:a:b:c:d", null, "2001:db8:1:2::/64"],
    ["an IPv4 peer of a socket for both", "::ffff:203.0.113.7", null, "203.0.113.7"],
    ["a peer with a zone", "fe80::1%eth0.12", null, "fe80::/64"],
    ["nobody we could name", undefined, "203.0.113.7", "nowhere"],
    ["nor here", "", "203.0.113.7", "nowhere"],
    ["a client that claims another address", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["whom the proxy heard from", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["the same by a socket for both", "::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["two proxies", "127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["what a stranger made up before them", "127.0.0.1", "1.1.1.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["a made-up proxy before a stranger", "127.0.0.1", "1.1.1.1,10.0.0.1,203.0.113.7", "203.0.113.7"],
    ["a proxy that asks for itself", "127.0.0.1", "10.1.2.3", "10.1.2.3"],
    ["a proxy that says nothing", "127.0.0.1", null, "127.0.0.1"],
    ["an IPv6 client", "::1", "2001:DB8:1:2::7", "2001:db8:1:2::/64"],
    ["a mapped client", "::1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["an IPv6 proxy", "2001:db8:ffff::1", "203.0.113.7", "203.0.113.7"],
    ["its neighbour, who is none", "2001:db8:fffe::1", "203.0.113.7", "2001:db8:fffe::/64"],
    ["what is too long to be an address", "127.0.0.1", `${"0:".repeat(6000)}:1`, "127.0.0.1"],
    ["a client with its port", "127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["an IPv6 client with its port", "127.0.0.1", "[2001:db8:1:2::7]:4711", "2001:db8:1:2::/64"],
    ["an IPv6 client in brackets", "127.0.0.1", "[2001:db8:1:2::7]", "2001:db8:1:2::/64"],
    ["garbage at once", "127.0.0.1", "unknown", "127.0.0.1"],
    ["garbage behind a proxy", "127.0.0.1", "203.0.113.7, _hidden, 10.1.2.3", "10.1.2.3"],
    ["an empty entry", "127.0.0.1", "203.0.113.7,, 10.1.2.3", "10.1.2.3"],
    ["an octal address", "127.0.0.1", "0203.0.113.7", "127.0.0.1"],
    ["a number for an address", "127.0.0.1", "3405803783", "127.0.0.1"],
  ])("%s", (_what, peer, header, bucket) => {
    expect(clientBucket(peer, header, TRUSTED)).toBe(bucket);
  });

  test("without trusted proxies the header changes nothing, whatever it says", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), fc.ipV4(), (header, peer) => {
        expect(clientBucket(peer, header, [])).toBe(peer);
      }),
    );
  });

  test("behind a trusted proxy nothing that stands before the sender's address changes anything", () => {
    const stranger = fc.ipV4().filter((address) => !/^(10|127)\./.test(address));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6())), stranger, (madeUp, sender) => {
        const header = [...madeUp, sender, "10.0.0.1"].join(", ");
        expect(clientBucket("127.0.0.1", header, TRUSTED)).toBe(sender);
      }),
    );
  });

  test("every address of an IPv6 /64 is the same client, however it is written; the next /64 is another", () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const host = fc.oneof(
      fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => `2001:db8:0:7:${groups.join(":")}`),
      group.map((last) => `2001:DB8:0:7::${last.toUpperCase()}`),
    );
    fc.assert(
      fc.property(host, (address) => {
        expect(clientBucket(address, null, [])).toBe("2001:db8:0:7::/64");
      }),
    );
    expect(clientBucket("2001:db8:0:8::", null, [])).toBe("2001:db8:0:8::/64");
  });
});

describe("a trusted proxy may be", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1", "127.0.0.2"],
    ["10.0.0.0/8", "10.255.0.1", "11.0.0.1"],
    ["::ffff:10.0.0.0/104", "10.255.0.1", "11.0.0.1"],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2"],
    ["::1/128", "::1", "::2"],
    ["2001:db8::/32", "2001:db8:7::1", "2001:db9::1"],
    ["loopback", "127.8.8.8", "10.0.0.1"],
    ["private", "172.31.0.1", "172.32.0.1"],
  ])("%s, which is %s and not %s", (entry, inside, outside) => {
    const asked = (peer: string) => clientBucket(peer, "203.0.113.7", proxies(entry));
    expect(asked(inside)).toBe("203.0.113.7");
    expect(asked(outside)).not.toBe("203.0.113.7");
  });

  test.each([
    "localhost",
    "Private",
    "10.0.0.0/33",
    "10.0.0.0/-8",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0/8",
    "::1/129",
    "::ffff:10.0.0.0/96",
    "0.0.0.0/0",
    "::/0",
    "*",
  ])("never %s", (entry) => expect(parseProxy(entry)).toBeNull());
});
