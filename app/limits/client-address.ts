import ipaddr from "ipaddr.js";
import { type Address, type AddressRange, parseAddress } from "../config/trusted-proxies.ts";

/** Not a network socket, or closed already. */
const UNKNOWN = "nowhere";

/**
 * An IPv4 address, or the /64 network of an IPv6 address. Every proxy appends its peer's address to X-Forwarded-For, so it is read from
 * the end, for as long as the writer of an entry is a trusted proxy.
 * @param forwardedFor the header, its lines joined by commas
 */
export function clientBucket(
  peerAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
): string {
  let client = parseAddress(peerAddress ?? "");
  if (!client) return UNKNOWN;
  if (!forwardedFor) return bucketOf(client);
  for (const entry of forwardedFor.split(",").reverse()) {
    if (!isWithin(client, trustedProxies)) break;
    const forwarded = parseAddress(withoutPort(entry.trim()));
    if (!forwarded) break;
    client = forwarded;
  }
  return bucketOf(client);
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** Some proxies append the port. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/** A site can choose the lower 64 bits of its IPv6 addresses freely (RFC 4291 §2.5.4). */
function bucketOf(address: Address): string {
  if ("octets" in address) return address.toString();
  const network = new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toRFC5952String()}/64`;
}
