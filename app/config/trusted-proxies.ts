import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network and how many of its leading bits count. */
export type AddressRange = readonly [Address, number];

/** What TRUSTED_PROXIES may say in a word (RFC 1122, RFC 1918, RFC 4193, RFC 4291). */
const RANGES_BY_WORD = new Map([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** In characters: an IPv6 address with an IPv4 one in it and a zone. */
const LONGEST_ADDRESS = 80;

/**
 * What one entry of TRUSTED_PROXIES means: an address, a network like 10.0.0.0/8, or a word of RANGES_BY_WORD.
 *
 * @returns `null` when it is none of these, or is everybody: a header everybody may write says nothing
 */
export function parseProxy(entry: string): AddressRange[] | null {
  const word = RANGES_BY_WORD.get(entry);
  if (word) return word.flatMap((range) => parseProxy(range) ?? []);
  const [text = "", bits, ...rest] = entry.split("/");
  const address = parseAddress(text);
  if (!address || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const isV4 = address.kind() === "ipv4";
  const most = isV4 ? 32 : 128;
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const unmapped = isV4 && text.includes(":") ? 96 : 0;
  const length = bits === undefined ? most : Number(bits) - unmapped;
  return length >= 1 && length <= most ? [[address, length]] : null;
}

/** An address as a socket or a header writes it; `null` when it is none. */
export function parseAddress(text: string): Address | null {
  if (text.length > LONGEST_ADDRESS) return null;
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** Four decimals: 017.1 and 0x7f000001 are addresses to some programs and something else to others. */
function parseV4(text: string): ipaddr.IPv4 | null {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
}

/** An IPv4 address that is written as an IPv6 one is an IPv4 address; a zone is this machine's name for a cable. */
function parseV6(text: string): Address | null {
  const [address = ""] = text.split("%");
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}
