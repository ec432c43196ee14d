import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** The prefix in bits. */
export type AddressRange = readonly [Address, number];

/** RFC 1122, RFC 1918, RFC 4193, RFC 4291. */
const RANGES_BY_KEYWORD = new Map([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** RFC 6890; they do not overlap. */
const NOT_PUBLIC = `10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 127.0.0.0/8 169.254.0.0/16 100.64.0.0/10
  0.0.0.0/8 224.0.0.0/3 ::1/128 fc00::/7 fe80::/10 ff00::/8`.split(/\s+/);
/** In bits. No operator runs proxies on as many public addresses. */
const MOST_PUBLIC_PREFIX = { ipv4: 8, ipv6: 16 };

/** An IPv6 address with an embedded IPv4 address and a zone. */
const MAX_ADDRESS_LENGTH = 80;

/** @returns `null`: invalid, or it matches every address, so that any client could forge the header */
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

/** Then clients are trusted as proxies. */
export function coversTheInternet(ranges: readonly AddressRange[]): boolean {
  const notPublic = NOT_PUBLIC.flatMap((range) => parseProxy(range) ?? []);
  return (["ipv4", "ipv6"] as const).some((kind) => {
    const isOfKind = ([address]: AddressRange) => address.kind() === kind;
    const distinct = ranges.filter(isOfKind).filter((range, at, all) => {
      const isWithinAnother = (other: AddressRange, otherAt: number) =>
        otherAt !== at && contains(other, range) && (!contains(range, other) || otherAt < at);
      return !all.some(isWithinAnother);
    });
    const size = ([, prefix]: AddressRange) => 2 ** ((kind === "ipv4" ? 32 : 128) - prefix);
    const sum = (networks: readonly AddressRange[]) =>
      networks.reduce((total, network) => total + size(network), 0);
    const inside = (range: AddressRange) =>
      notPublic.filter((each) => isOfKind(each) && contains(range, each));
    const publicSize = distinct
      .filter((range) => !notPublic.some((each) => isOfKind(each) && contains(each, range)))
      .reduce((total, range) => total + size(range) - sum(inside(range)), 0);
    const most = 2 ** ((kind === "ipv4" ? 32 : 128) - MOST_PUBLIC_PREFIX[kind]);
    return publicSize >= most;
  });
}

/** Two networks of one kind are either disjoint, or one contains the other. */
function contains([network, prefix]: AddressRange, [address, longer]: AddressRange): boolean {
  return prefix <= longer && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, prefix);
}

/** IPv4 in four decimal parts: programs disagree about 017.1 and 0x7f000001. IPv6 without its zone, and as IPv4 where it is mapped. */
export function parseAddress(text: string): Address | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  if (!text.includes(":")) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
  const [address = ""] = text.split("%");
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : null;
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}
