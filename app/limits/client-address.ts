import ipaddr from "ipaddr.js";
import { type Address, type AddressRange, parseAddress } from "../config/trusted-proxies.ts";

/** The bucket of whoever comes without an address: a socket that is no network's, or one that is gone already. */
const NOWHERE = "nowhere";

/**
 * Whom the limits take a request's sender for: an IPv4 address, or the /64 of an IPv6 one.
 *
 * Every proxy appends to X-Forwarded-For whom it heard from, so the list is read from its end, and only as far as the
 * one who wrote an entry is trusted. What is no address ends it there.
 *
 * @param peerAddress of the socket
 * @param forwardedFor the header, its lines joined by commas
 */
export function clientBucket(
  peerAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
): string {
  let client = parseAddress(peerAddress ?? "");
  if (!client) return NOWHERE;
  for (const entry of (forwardedFor ?? "").split(",").reverse()) {
    if (!isWithin(client, trustedProxies)) break;
    const writtenDown = parseAddress(withoutPort(entry.trim()));
    if (!writtenDown) break;
    client = writtenDown;
  }
  return bucketOf(client);
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** Some proxies write the port down too. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/** The first half of an IPv6 address says which network; the other is that network's own to make up (RFC 4291 §2.5.4). */
function bucketOf(address: Address): string {
  if ("octets" in address) return address.toString();
  const network = new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toRFC5952String()}/64`;
}
