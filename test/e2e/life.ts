import type { Locator, Page } from "@playwright/test";
import type { SentMail } from "../mail.ts";
import { expect, factsOf, test } from "./fixtures.ts";

/** The dashboard's text about the plan. */
interface PlanWords {
  /** The notice at the top, with its buttons; empty without one. */
  banner: string;
  /** The lines about the next payment, or the end, with their links. */
  plan: string;
  /** Status, plan, and end of access; empty without access. */
  facts: string;
  card: string;
  /** The newest invoice: its day, amount and state. */
  invoice: string;
}

/** `mails`: the subjects of mails since the last stage. */
type Stage = Partial<Record<keyof PlanWords, unknown>> & { mails: string[] };

/** The dashboard's text and the mailbox at each stage, once every event is processed. @returns the mails */
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

/** Reads the open dashboard. */
async function planWordsOf(page: Page): Promise<PlanWords> {
  const plan = page.getByRole("region", { name: /^Your (plan|subscription)$/ });
  const payments = page.getByRole("region", { name: "Payments" });
  const { Features: _, ...facts } = await factsOf(page, "Your subscription");
  const invoice = await textOf(payments.locator(".account-line").first().locator("dt, dd:first-of-type"));
  return {
    banner: await textOf(page.getByRole("main").locator("[role=alert], [role=status]")),
    plan: await textOf(plan.locator("p, div > a")),
    facts: Object.values(facts).join(", "),
    card: await textOf(payments.getByText(/ ending in \d{4}/)),
    // Invoice numbers differ on each run.
    invoice: invoice.replace(/ \w{8}-\d{4}$/, ""),
  };
}

/** The visible text, without what only screen readers are told. */
async function textOf(parts: Locator): Promise<string> {
  const texts = await parts.evaluateAll((elements) =>
    elements.map((element) => {
      // biome-ignore lint/performance/useDomNodeTextContent: a button's other label is there, and not seen
      let text = (element as HTMLElement).innerText;
      for (const unseen of element.querySelectorAll<HTMLElement>(".sr-only")) {
        const word = unseen.textContent.trim();
        const at = text.lastIndexOf(word);
        text = `${text.slice(0, at)} ${text.slice(at + word.length)}`;
      }
      return text;
    }),
  );
  return texts.join(" ").replaceAll(/\s+/g, " ").trim();
}
