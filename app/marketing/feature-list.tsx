import type { ReactNode } from "react";
import { BudgetExample, CardExample, ConnectionExample, GoalExample, TrendExample } from "./examples.tsx";

/** Spec §1. */
export interface FeatureListItem {
  id: string;
  title: string;
  summary: string;
  details: string[];
  example: ReactNode;
}

export const FEATURE_LIST: FeatureListItem[] = [
  {
    id: "budgets",
    title: "Budgets with email alerts",
    summary: "Set a limit for a category you named. When a purchase takes you over it, we email you.",
    details: [
      "A budget covers one of your categories for one month. Because you named the category, you know what you’re limiting: not “Food & Drink,” but the coffee you meant to cut back on.",
      "Go over the limit and you get one email, with the amount, the purchase that did it and how many days are left. One email, not one a day.",
    ],
    example: <BudgetExample />,
  },
  {
    id: "trends",
    title: "Trend analysis",
    summary: "Every category and income source, month by month, so you catch spending creep early.",
    details: [
      "One month tells you little. Six in a row show where you’re heading, for every category and every income source.",
      "Change a keyword and your whole history updates, so the chart always uses the words you use today.",
    ],
    example: <TrendExample />,
  },
  {
    id: "cards",
    title: "Credit-card analysis",
    summary: "See how fast your card gets paid off, and what interest costs, at different payments.",
    details: [
      "Your card statement shows two ways to pay it off. Compare any payment you like, side by side.",
      "Card purchases get your own categories too, so you can see what you’re paying interest on.",
    ],
    example: <CardExample />,
  },
  {
    id: "goals",
    title: "Goal setting",
    summary:
      "Pick an amount and a date, and see what to put aside each month. You find out early if you’re falling behind.",
    details: [
      "Give the goal a name, an amount and a date. We work out the monthly amount and adjust it as you save.",
      "If you’re not going to make it, you’ll know months ahead, while there’s time to change course.",
    ],
    example: <GoalExample />,
  },
  {
    id: "banks",
    title: "Bank connections",
    summary:
      "New transactions arrive from your bank and your keywords label them. Rather not connect your bank? A CSV file works too.",
    details: [
      "Connect an account, give it a name of your own, and new transactions come in with no file to download.",
      "Prefer not to connect anything? Most banks let you download a CSV file, and that’s all the CSV Only plan needs.",
    ],
    example: <ConnectionExample />,
  },
];
