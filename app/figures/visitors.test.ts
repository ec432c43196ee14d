import { expect, test } from "vitest";
import { isProgram, OTHER_HOSTS, referringHost } from "./visitors.ts";

const OWN = new Set(["ownwords.example"]);

test.each([
  [undefined, ""],
  ["", ""],
  ["not an address", ""],
  ["https://ownwords.example/pricing?promo=SPRING", ""],
  ["https://www.ownwords.example/", ""],
  ["https://www.Google.com/search?q=ada+lovelace", "google.com"],
  ["https://news.ycombinator.com/item?id=1", "news.ycombinator.com"],
  ["android-app://com.google.android.gm/", "com.google.android.gm"],
  ["https://ada:secret@blog.example:8443/ada?token=1#me", "blog.example"],
  ["http://192.168.1.17/", OTHER_HOSTS],
  ["http://[2001:db8::1]/", OTHER_HOSTS],
  ["http://intranet/", OTHER_HOSTS],
  ["http://adas-laptop.local/", OTHER_HOSTS],
  ["javascript:alert(1)", OTHER_HOSTS],
  [`https://${"a".repeat(60)}.${"b".repeat(60)}.example/`, OTHER_HOSTS],
])("of the referrer %s only this is kept: %s", (referrer, host) => {
  expect(referringHost(referrer, OWN)).toBe(host);
});

test.each([
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
  "Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
])("a browser is no program: %s", (userAgent) => expect(isProgram(userAgent)).toBe(false));

test.each([
  undefined,
  "",
  "curl/8.5.0",
  "python-requests/2.32.3",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
])("a program is not counted: %s", (userAgent) => expect(isProgram(userAgent)).toBe(true));
