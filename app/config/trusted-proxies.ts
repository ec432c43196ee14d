import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network and the length of its prefix in bits. */
export type AddressRange = readonly [Address, number];

/** The keywords of TRUSTED_PROXIES (RFC 1122, RFC 1918, RFC 4193, RFC 4291). */
const RANGES_BY_KEYWORD = new Map([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** In characters: an IPv6 address with an embedded IPv4 address and a zone. */
const MAX_ADDRESS_LENGTH = 80;

/**
 * Parses one entry of TRUSTED_PROXIES: an address, a network like 10.0.0.0/8, or a keyword of RANGES_BY_KEYWORD.
 *
 * @returns `null` when it is none of these or matches every address: a header that anybody can set proves nothing
 */
export function parseProxy(entry: string): AddressRange[] | null {
  const ranges = RANGES_BY_KEYWORD.get(entry);
  if (ranges) return ranges.flatMap((range) => parseProxy(range) ?? []);
  const [text = "", bits, ...rest] = entry.split("/");
  const address = parseAddress(text);
  if (!address || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const isV4 = address.kind() === "ipv4";
  const maxLength = isV4 ? 32 : 128;
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const mappedPrefix = isV4 && text.includes(":") ? 96 : 0;
  const length = bits === undefined ? maxLength : Number(bits) - mappedPrefix;
  return length >= 1 && length <= maxLength ? [[address, length]] : null;
}

/** Parses an address from a socket or a header; `null` when it is none. */
export function parseAddress(text: string): Address | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** Only four decimal parts, because programs disagree about 017.1 or 0x7f000001. */
function parseV4(text: string): ipaddr.IPv4 | null {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
}

/** Unmaps IPv4-mapped addresses and drops the zone, which names a local network interface. */
function parseV6(text: string): Address | null {
  const [address = ""] = text.split("%");
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}
