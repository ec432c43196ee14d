import type { ReactNode } from "react";
import { useFeatures } from "../../entitlements/features.ts";
import { useRoot } from "../../ui/site.ts";
import { type FaqParagraph, type FaqQuestion, faqQuestions, plainText } from "./questions.ts";

/** Browsers open a `details` that contains a link's target. @param props.isShort only each answer's first paragraph */
export function FaqList({ isShort }: { isShort?: boolean }) {
  const { site, isSelling } = useRoot();
  const features = useFeatures();
  return (
    <div className="faq">
      {faqQuestions(site, features, isSelling).map((question, index) =>
        isShort ? (
          <ShortAnswer key={question.id} {...question} />
        ) : (
          <FullAnswer key={question.id} {...question} isOpen={index === 0} />
        ),
      )}
    </div>
  );
}

function FullAnswer({ answer, more, ...asked }: FaqQuestion & { isOpen: boolean }) {
  const { id, question } = asked;
  return (
    <Question {...asked} Heading="h2" paragraphs={answer}>
      <p className="flex flex-wrap gap-x-6">
        {more && <a href={more.href}>{more.label}</a>}
        <a href={`#${id}`} className="text-quiet" aria-label={`Link to this answer: ${question}`}>
          Link to this answer
        </a>
      </p>
    </Question>
  );
}

function ShortAnswer({ answer, ...asked }: FaqQuestion) {
  const { id, question } = asked;
  return (
    <Question {...asked} Heading="h3" paragraphs={answer.slice(0, 1)}>
      {answer.length > 1 && (
        <p className="flex">
          <a href={`/faq#${id}`} aria-label={`The whole answer: ${question}`}>
            The whole answer
          </a>
        </p>
      )}
    </Question>
  );
}

function Question(props: {
  id: string;
  question: string;
  isOpen?: boolean;
  Heading: "h2" | "h3";
  paragraphs: FaqParagraph[];
  children: ReactNode;
}) {
  const { id, question, isOpen, Heading, paragraphs, children } = props;
  return (
    <details open={isOpen}>
      <summary>
        <Heading>{question}</Heading>
      </summary>
      <div id={id}>
        {paragraphs.map((paragraph) => (
          <p key={plainText(paragraph)}>{withLinks(paragraph)}</p>
        ))}
        {children}
      </div>
    </details>
  );
}

function withLinks(paragraph: FaqParagraph): ReactNode {
  if (typeof paragraph === "string") return paragraph;
  return paragraph.map((piece) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <a key={piece.href} href={piece.href}>
        {piece.label}
      </a>
    ),
  );
}
