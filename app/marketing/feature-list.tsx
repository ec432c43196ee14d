import type { ReactNode } from "react";
import { BudgetExample } from "./examples/budget.tsx";
import { CardExample } from "./examples/card.tsx";
import { ConnectionExample } from "./examples/connection.tsx";
import { GoalExample } from "./examples/goal.tsx";
import { TrendExample } from "./examples/trend.tsx";

/** One of the five features of the app (spec §1). */
export interface FeatureListItem {
  id: string;
  /** A line of a bank statement; the title is shown as its label. */
  line: string;
  title: string;
  /** One or two sentences, for the home page. */
  summary: string;
  /** Paragraphs for the features page. */
  details: string[];
  /** What is still missing, if anything. */
  notYet?: string;
  example: ReactNode;
}

export const FEATURE_LIST: FeatureListItem[] = [
  {
    id: "budgets",
    line: "SQ *CORNER COFFEE −4.10",
    title: "Budgets with email alerts",
    summary:
      "Set a limit for a category you named. As soon as a line takes you over it, you get an email that names the line.",
    details: [
      "A budget belongs to one of your categories and to a month. Because the category is yours, the budget is about something you recognise: not “Food & Drink”, but the coffee you meant to have less of.",
      "When a line takes you over the limit you get one email, with the amount, the line that did it and the days that are left. One email, not one a day.",
    ],
    example: <BudgetExample />,
  },
  {
    id: "trends",
    line: "TFL TRAVEL CH −8.25",
    title: "Trend analysis",
    summary: "Every category and income source, month by month, so that a slow change does not stay unseen.",
    details: [
      "A single month tells you little; six in a row tell you where you are going. Each category has its line, and so has each source of income.",
      "Change a keyword and the past is sorted anew as well, so the line is always drawn with the words you use today.",
    ],
    example: <TrendExample />,
  },
  {
    id: "cards",
    line: "BLUE CREDIT INTEREST −11.68",
    title: "Credit-card analysis",
    summary: "What the balance costs you at different monthly payments: in months and in money.",
    details: [
      "A card’s statement says the least you may pay. It is shy about what that costs. Here you see the same balance paid off in several ways, side by side.",
      "What you bought with the card is in your own categories too, so you see what the interest was for.",
    ],
    example: <CardExample />,
  },
  {
    id: "goals",
    line: "STANDING ORDER SAVER −85.00",
    title: "Goal setting",
    summary:
      "A sum, a date, and what to put aside each month. It tells you early whether you will arrive late.",
    details: [
      "Give the goal a name you like, a sum and a date. The rest is a division, done again each month with what you have really put aside.",
      "If it will not work out you read so months before, while there is still something to change.",
    ],
    example: <GoalExample />,
  },
  {
    id: "banks",
    line: "NORTHERN CURRENT 4821",
    title: "Bank connections",
    summary:
      "Your accounts’ lines arrive by themselves and meet your keywords. If you would rather not connect a bank, a CSV file does the same.",
    details: [
      "Connect an account, give it a name of your own, and new lines come in without a file to download.",
      "If you would rather not connect anything, don’t: most banks let you download a CSV file, and that is all the CSV Only plan asks for.",
    ],
    notYet: "CSV Processing and the Banking API are both still to come: neither is open yet.",
    example: <ConnectionExample />,
  },
];

/** A feature's title as a label on a line of a statement. */
export function FeatureTitle({
  feature: { line, title },
  level,
}: {
  feature: FeatureListItem;
  level: 2 | 3;
}) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <div>
      <p className="font-mono text-quiet text-[0.9375rem] pb-1.5">{line}</p>
      <Heading className="sm:text-[1.5rem]">
        <span className="label">{title}</span>
      </Heading>
    </div>
  );
}
