import type { Locator, Page } from "@playwright/test";
import type { SentMail } from "../mail.ts";
import { expect, factsOf, test } from "./fixtures.ts";

/** What the dashboard tells somebody about their plan, as it is written. */
interface PlanWords {
  /** The notice above all else, with its buttons; empty without one. */
  banner: string;
  /** The lines with what is paid next, or what is over, with the links beside them. */
  plan: string;
  /** Status, plan, and until when; empty without access. */
  facts: string;
  card: string;
  /** The newest invoice: its day, amount and state. */
  invoice: string;
}

/** `mails`: the subjects of those that came since the last stage. */
type Stage = Partial<Record<keyof PlanWords, unknown>> & { mails: string[] };

/** What the dashboard says and the mailbox got, once all is known of what has happened. @returns the mails */
export function stagesOf(
  page: Page,
  open: (path: string) => Promise<void>,
  life: { news(): Promise<SentMail[]> },
) {
  return (name: string, { mails: subjects, ...words }: Stage) =>
    test.step(name, async () => {
      const mails = await life.news();
      expect(mails.map(({ subject }) => subject).toSorted(), `mails: ${name}`).toEqual(subjects.toSorted());
      await open("/dashboard");
      expect(await planWordsOf(page), name).toMatchObject(words);
      return mails;
    });
}

/** Of the dashboard as it is open. */
async function planWordsOf(page: Page): Promise<PlanWords> {
  const plan = page.getByRole("region", { name: "Your subscription" });
  const payments = page.getByRole("region", { name: "Payments" });
  const { Features: _, Tier: __, ...facts } = await factsOf(page, "Your subscription");
  const invoice = await textOf(payments.locator(".account-line").first().locator("dt, dd:first-of-type"));
  return {
    banner: await textOf(page.getByRole("main").locator("[role=alert], [role=status]")),
    plan: await textOf(plan.locator("p, div > a")),
    facts: Object.values(facts).join(", "),
    card: await textOf(payments.getByText(/ ending in \d{4}/)),
    // Its number is another each time.
    invoice: invoice.replace(/ \w{8}-\d{4}$/, ""),
  };
}

/** As it is seen: without what a screen reader alone is told. */
async function textOf(parts: Locator): Promise<string> {
  const texts = await parts.evaluateAll((elements) =>
    elements.map((element) => {
      // biome-ignore lint/performance/useDomNodeTextContent: a button's other label is there, and not seen
      let text = (element as HTMLElement).innerText;
      for (const unseen of element.querySelectorAll<HTMLElement>(".sr-only"))
        text = text.replace(unseen.textContent.trim(), " ");
      return text;
    }),
  );
  return texts.join(" ").replaceAll(/\s+/g, " ").trim();
}
