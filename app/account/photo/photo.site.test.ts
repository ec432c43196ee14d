import { connect, type Socket } from "node:net";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { makeFlatPng, makePhoto, uploadPhoto } from "../../../test/photos.ts";
import { dataPath } from "../../../test/router.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createPerson, get, type Person } from "../../../test/users.ts";
import { ACCOUNT_FIELD } from "../../ui/account-mark.ts";

const server = sharedServer();

const TOO_MANY_PIXELS = "This photo has too many pixels. Make it smaller and try again";
/** 25 megapixels. */
const LARGE = { create: { width: 5000, height: 5000, channels: 3 as const, background: "#0f0" } };
const MEGABYTE = 1024 * 1024;

async function photoOf({ id }: Person): Promise<{ version: string; jpeg: Buffer } | null> {
  const { rows } = await server.pool.query("SELECT version, jpeg FROM photos WHERE user_id = $1", [id]);
  return rows[0] ?? null;
}

/** Uploads a photo. @returns the pixels that are kept, by place in percent */
async function keep(photo: Buffer<ArrayBuffer>) {
  const person = await createPerson(server.pool);
  const answer = await uploadPhoto(server, person.cookie, photo);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account?changed=photo"]);
  const { jpeg } = (await photoOf(person)) ?? {};
  if (!jpeg) throw new Error("nothing is kept");
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 256, height: 256, channels: 3 });
  const at = (x: number, y: number) => {
    const start = (Math.round((y / 100) * 255) * 256 + Math.round((x / 100) * 255)) * 3;
    return nameOf([...data.subarray(start, start + 3)]);
  };
  return { person, jpeg, at };
}

function nameOf([red = 0, green = 0, blue = 0]: number[]): string {
  const bits = [red, green, blue].map((part) => (part > 200 ? "1" : part < 60 ? "0" : "?")).join("");
  return { "100": "red", "001": "blue", "111": "white", "000": "black", "010": "green" }[bits] ?? bits;
}

/** What the page of a refused photo says. */
async function refusalOf(answer: Response): Promise<string> {
  expect(answer.headers.get("location")).toBeNull();
  const main = await mainOf(answer);
  expect(main).toContain("Your photo wasn’t saved");
  return /id="photo-picture-error"[^>]*>([^<]*)</.exec(main)?.[1] ?? main;
}

describe("what is kept is a small square with nothing but what the photo shows:", () => {
  test.each(["jpeg", "png", "webp"] as const)("of a %s", async (as) => {
    const photo = await makePhoto({ as });
    expect(photo.toString("latin1")).toContain("Telltale 3000");
    const { jpeg, at } = await keep(photo);
    expect([at(25, 25), at(75, 75)]).toEqual(["red", "blue"]);
    expect(jpeg.byteLength).toBeLessThan(20_000);
    const { exif, icc, xmp, iptc, format } = await sharp(jpeg).metadata();
    expect({ exif, icc, xmp, iptc, format }).toEqual({ format: "jpeg" });
    expect(jpeg.toString("latin1")).not.toContain("Telltale");
  });

  test("what a file carries after its photo is gone", async () => {
    const script = "<script>alert(document.domain)</script>";
    const { jpeg } = await keep(Buffer.concat([await makePhoto(), Buffer.from(script)]));
    expect(jpeg.toString("latin1")).not.toContain("script");
  });

  test("a photo taken with the camera on its side stands upright", async () => {
    const { at } = await keep(await makePhoto({ orientation: 6 }));
    expect([at(75, 25), at(25, 25)]).toEqual(["red", "blue"]);
  });

  test("of a wide photo the middle", async () => {
    const { at } = await keep(await makePhoto({ width: 1600, height: 200 }));
    expect([at(25, 25), at(75, 25)]).toEqual(["red", "blue"]);
  });

  test("what is transparent is white", async () => {
    const photo = sharp({ create: { width: 90, height: 90, channels: 4, background: "#f000" } });
    const { at } = await keep((await photo.png().toBuffer()) as Buffer<ArrayBuffer>);
    expect(at(50, 50)).toBe("white");
  });

  test("a CMYK photo has its colors", async () => {
    const photo = sharp({ create: { width: 90, height: 90, channels: 3, background: "#f00" } });
    const cmyk = (await photo.toColourspace("cmyk").jpeg().toBuffer()) as Buffer<ArrayBuffer>;
    expect((await sharp(cmyk).metadata()).space).toBe("cmyk");
    expect((await keep(cmyk)).at(50, 50)).toMatch(/^(red|1..)$/);
  });

  test("of an animation the first picture", async () => {
    const pages = await Promise.all(
      ["#0f0", "#f00"].map((background) =>
        sharp({ create: { width: 90, height: 90, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animation = await sharp(pages, { join: { animated: true } })
      .webp({ delay: [100, 100] })
      .toBuffer();
    expect((await sharp(animation).metadata()).pages).toBe(2);
    expect((await keep(animation as Buffer<ArrayBuffer>)).at(50, 50)).toBe("green");
  });

  test("noise, too, takes no more than a row may have", async () => {
    const noise = { type: "gaussian" as const, mean: 128, sigma: 90 };
    const photo = sharp({ create: { width: 256, height: 256, channels: 3, background: "#000", noise } });
    const { jpeg } = await keep((await photo.png().toBuffer()) as Buffer<ArrayBuffer>);
    expect(jpeg.byteLength).toBeLessThan(64 * 1024);
  });
});

test("what is no photo that can be read is refused in a sentence", async () => {
  const person = await createPerson(server.pool);
  const jpeg = await makePhoto({ width: 1000, height: 1000 });
  const isoFile = (brand: string) => `\0\0\0\x18ftyp${brand}\0\0\0\0mif1heic`;
  for (const [photo, words] of [
    ["", "Choose a photo first"],
    ["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "Choose a JPEG, PNG, or WebP"],
    ["GIF89a", "Choose a JPEG, PNG, or WebP"],
    [isoFile("heic"), "We can’t read HEIC photos. Save it as a JPEG and try again"],
    [isoFile("avif"), "Choose a JPEG, PNG, or WebP"],
    [jpeg.subarray(0, jpeg.byteLength / 2), /^We couldn’t read this photo/],
    [Buffer.concat([jpeg.subarray(0, 200), Buffer.from("not a photo")]), /^We couldn’t read this photo/],
    ["\x89PNG\r\n\x1a\n", /^We couldn’t read this photo|JPEG, PNG, or WebP/],
  ] as const) {
    const answer = await uploadPhoto(server, person.cookie, photo);
    expect(answer.status).toBe(400);
    expect(await refusalOf(answer)).toMatch(words);
    // The limit is another test's.
    await server.pool.query("DELETE FROM rate_limits WHERE key LIKE 'photo_by_user%'");
  }
  expect(await photoOf(person)).toBeNull();
});

test("a file of a few KB that would fill the memory is refused by its size in pixels, before it is decoded", async () => {
  const { cookie } = await createPerson(server.pool);
  for (const side of [10_000, 30_000]) {
    const bomb = makeFlatPng(side, side);
    expect(bomb.byteLength).toBeLessThan(200_000);
    const answer = await uploadPhoto(server, cookie, bomb);
    expect(await refusalOf(answer)).toBe(TOO_MANY_PIXELS);
  }
});

test.each([
  ["interlaced", () => sharp(LARGE).png({ progressive: true })],
  ["progressive", () => sharp(LARGE).jpeg({ progressive: true })],
])("one that is %s, which takes memory for all of its pixels, has fewer of them", async (_, make) => {
  const { cookie } = await createPerson(server.pool);
  const answer = await uploadPhoto(server, cookie, (await make().toBuffer()) as Buffer<ArrayBuffer>);
  expect(await refusalOf(answer)).toBe(TOO_MANY_PIXELS);
});

test("what is more than a photo is refused, and nothing is kept of it", async () => {
  const person = await createPerson(server.pool);
  for (const megabytes of [10.5, 30]) {
    const answer = await uploadPhoto(server, person.cookie, Buffer.alloc(megabytes * MEGABYTE));
    expect([answer.status, await refusalOf(answer)]).toEqual([400, "Choose a photo of at most 10 MB"]);
  }
  expect(await photoOf(person)).toBeNull();
});

test("a form that is none of a browser’s is refused before it is parsed", async () => {
  const { cookie } = await createPerson(server.pool);
  const send = (type: string, body: string) =>
    fetch(`${server.origin}/account/photo`, {
      method: "POST",
      headers: { origin: server.origin, cookie, "content-type": type },
      body,
    });
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  for (const [type, body] of [
    ["multipart/form-data; boundary=x", `${part.repeat(100_000)}--x--\r\n`],
    ["multipart/form-data; boundary=x", "--x\r\n"],
    ["multipart/form-data", part],
    [`multipart/form-data; boundary=${"x".repeat(71)}`, part],
    ["multipart/mixed; boundary=x", part],
  ] as const) {
    const answer = await send(type, body);
    expect(answer.status).toBe(400);
    expect(await refusalOf(answer)).toBe("Your photo didn’t arrive in one piece. Try again");
  }
  const plain = await postForm(server, "/account/photo", { do: "x" }, cookie);
  expect(plain.status).toBe(400);
});

test("other entrances take no files, and no more than before", async () => {
  const { cookie } = await createPerson(server.pool);
  for (const [path, size, status] of [
    ["/account", 100, 400],
    ["/account", 100_000, 413],
    ["/account/photo/x", 100_000, 413],
  ] as const) {
    const body = new FormData();
    body.set("picture", new File([Buffer.alloc(size)], "me.jpg"));
    const answer = await fetch(server.origin + path, {
      method: "POST",
      headers: { origin: server.origin, cookie },
      body,
    });
    expect([path, answer.status]).toEqual([path, status]);
  }
});

test("a photo is for its owner and an operator; for everybody else its address does not exist", async () => {
  const [owner, other, operator] = [
    await createPerson(server.pool),
    await createPerson(server.pool),
    await createOperator(server.pool),
  ];
  await uploadPhoto(server, owner.cookie, await makePhoto());
  await uploadPhoto(server, other.cookie, await makePhoto({ color: "#0f0" }));
  const { version = "", jpeg } = (await photoOf(owner)) ?? {};
  const path = `/account/photo/${version}`;
  const inConsole = `/admin/people/${owner.id}/photo?version=${version}`;
  for (const [cookie, address] of [
    [owner.cookie, path],
    [operator.cookie, inConsole],
  ] as const) {
    const photo = await get(server, address, cookie);
    expect(photo.status).toBe(200);
    expect(Buffer.from(await photo.arrayBuffer())).toEqual(jpeg);
    expect(Object.fromEntries(photo.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/^default-src 'none';.* sandbox$/),
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, max-age=31536000, immutable",
      vary: expect.stringContaining("Cookie"),
    });
  }
  const titleOf = async (response: Response) => /<title>.*?<\/title>/.exec(await response.text())?.[0];
  const unknown = await titleOf(await get(server, "/account/nowhere", other.cookie));
  for (const [cookie, address] of [
    [other.cookie, path],
    [undefined, path],
    [operator.cookie, path],
    [owner.cookie, "/account/photo/0b1f4c1e-0000-4000-8000-000000000000"],
    [owner.cookie, inConsole],
    [other.cookie, inConsole],
    [undefined, inConsole],
    [operator.cookie, `/admin/people/${owner.id}/photo`],
    [operator.cookie, `/admin/people/${other.id}/photo?version=${version}`],
  ] as const) {
    const answer = await get(server, address, cookie);
    expect([address, answer.status]).toEqual([address, 404]);
    if (cookie === other.cookie) expect(await titleOf(answer)).toBe(unknown);
  }
  expect(await mainOf(await get(server, `/admin/people/${owner.id}`, operator.cookie))).toContain(
    inConsole.replace("&", "&amp;"),
  );
});

test("it is shown before a link, replaced by another one, and gone when it is removed", async () => {
  const person = await createPerson(server.pool);
  const link = "https://photos.example/me.jpg";
  await postForm(server, "/account", { name: "Ada", photo: link }, person.cookie);
  const shown = async () => {
    const page = await (await get(server, "/dashboard", person.cookie)).text();
    return /<span class="photo">.*?<img src="([^"]*)"/.exec(page)?.[1];
  };
  expect(await shown()).toBe(link);
  await uploadPhoto(server, person.cookie, await makePhoto());
  const first = (await photoOf(person))?.version;
  expect(await shown()).toBe(`/account/photo/${first}`);
  expect(await mainOf(await get(server, "/account?changed=photo", person.cookie))).toMatch(
    /Your photo is saved\..*Your uploaded photo is shown instead\..*photos\.example/s,
  );
  await uploadPhoto(server, person.cookie, await makePhoto({ color: "#0f0" }));
  const second = (await photoOf(person))?.version;
  expect(second).not.toBe(first);
  expect((await get(server, `/account/photo/${first}`, person.cookie)).status).toBe(404);
  const removed = await postForm(server, "/account/photo", { do: "remove" }, person.cookie);
  expect([removed.status, removed.headers.get("location")]).toEqual([303, "/account?changed=photo-removed"]);
  expect(await photoOf(person)).toBeNull();
  expect(await shown()).toBe(link);
});

test("signed out, a photo leads to the login and back, whatever its size", async () => {
  for (const photo of [await makePhoto(), Buffer.alloc(5 * MEGABYTE)]) {
    const answer = await uploadPhoto(server, "", photo);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      302,
      "/login?return_to=%2Faccount%2Fphoto",
    ]);
  }
});

test("a photo from another account's page is kept for neither", async () => {
  const [one, other] = [await createPerson(server.pool), await createPerson(server.pool)];
  const page = await (await get(server, "/account", one.cookie)).text();
  const mark = /name="account" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const answer = await uploadPhoto(server, other.cookie, await makePhoto(), { [ACCOUNT_FIELD]: mark });
  expect(answer.status).toBe(409);
  expect(await mainOf(answer)).toContain("Another account is signed in");
  expect([await photoOf(one), await photoOf(other)]).toEqual([null, null]);
  expect((await uploadPhoto(server, one.cookie, await makePhoto(), { [ACCOUNT_FIELD]: mark })).status).toBe(
    303,
  );
});

test("a page of another origin uploads nothing", async () => {
  const { cookie } = await createPerson(server.pool);
  const body = new FormData();
  body.set("picture", new File([await makePhoto()], "me.jpg"));
  const headers = { origin: "https://evil.example", cookie };
  const answer = await fetch(`${server.origin}/account/photo`, { method: "POST", headers, body });
  expect(answer.status).toBe(403);
});

test("of two at once each is kept or told to wait, and one of them is there", async () => {
  const person = await createPerson(server.pool);
  const photos = await Promise.all(["#f00", "#0f0", "#f00", "#0f0"].map((color) => makePhoto({ color })));
  const answers = await Promise.all(photos.map((photo) => uploadPhoto(server, person.cookie, photo)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 303).length).toBeGreaterThanOrEqual(2);
  for (const answer of answers)
    if (answer.status !== 303) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await refusalOf(answer)).toBe("Too many photos are on their way. Try again in a moment");
    }
  expect(await photoOf(person)).not.toBeNull();
});

test("while photos are being sent and decoded, other pages answer; what breaks off leaves its place to others", async () => {
  const person = await createPerson(server.pool);
  const { port } = new URL(server.origin);
  const begun: Socket[] = [];
  function begin() {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      [
        "POST /account/photo HTTP/1.1",
        `Host: ${new URL(server.origin).host}`,
        `Origin: ${server.origin}`,
        `Cookie: ${person.cookie}`,
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Length: 9000000",
        "",
        "--x",
      ].join("\r\n"),
    );
    begun.push(socket);
  }
  await eventually(async () => {
    // Another each time, as one that came while the photo had a place has none.
    begin();
    return (await uploadPhoto(server, person.cookie, await makePhoto())).status === 503;
  }, "both places of theirs being taken");
  // Others have places.
  const other = await createPerson(server.pool);
  expect((await uploadPhoto(server, other.cookie, await makePhoto())).status).toBe(303);
  for (const socket of begun) socket.destroy();
  await eventually(
    async () => (await uploadPhoto(server, person.cookie, await makePhoto())).status === 303,
    "a place being free again",
  );
});

test("the largest photos take their time alone", async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => createPerson(server.pool)));
  const large = (await sharp({ create: { width: 8000, height: 6000, channels: 3, background: "#0f0" } })
    .jpeg()
    .toBuffer()) as Buffer<ArrayBuffer>;
  let areDone = false;
  const begun = performance.now();
  const sent = Promise.all(people.map(({ cookie }) => uploadPhoto(server, cookie, large))).finally(() => {
    areDone = true;
  });
  let slowest = 0;
  while (!areDone) {
    const since = performance.now();
    await get(server, "/healthz");
    slowest = Math.max(slowest, performance.now() - since);
  }
  expect((await sent).map(({ status }) => status)).toEqual([303, 303, 303]);
  expect(slowest).toBeLessThan((performance.now() - begun) / 3);
});

test("by the router as by a document", async () => {
  const { cookie } = await createPerson(server.pool);
  const body = new FormData();
  body.set("picture", new File([await makePhoto()], "me.jpg"));
  const answer = await fetch(server.origin + dataPath("/account/photo"), {
    method: "POST",
    headers: { origin: server.origin, cookie },
    body,
  });
  expect([answer.status, await answer.text()]).toEqual([
    202,
    expect.stringContaining("/account?changed=photo"),
  ]);
});
