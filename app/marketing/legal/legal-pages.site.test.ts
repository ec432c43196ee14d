import { expect, test } from "vitest";
import { setupServer } from "../../../test/server.fixture.ts";

const server = setupServer({ PRODUCT_NAME: "Penny & <Co>" });

test.each(["/privacy", "/terms"])(
  "%s names the product of this site and the day of its last change",
  async (path) => {
    const html = await (await fetch(server.origin + path)).text();
    expect(html).toContain("the people who run Penny &amp; &lt;Co&gt;");
    expect(html).not.toContain("<Co>");
    expect(html).toMatch(
      /Last updated <time dateTime="20\d\d-\d\d-\d\dT00:00:00\.000Z">\w+ \d+, 20\d\d<\/time>/,
    );
  },
);
