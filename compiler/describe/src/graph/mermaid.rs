//! The structure of workflows as Mermaid text, which many sites and editors draw.

use std::fmt::Write;

use super::{Graph, Group, GroupKind, Leave, Node, Work, WorkKind};

/// The graph as a Mermaid flowchart.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let mut chart = Chart {
        out: String::from("flowchart TD\n"),
        count: 0,
    };
    for workflow in &graph.workflows {
        let id = chart.next();
        let head = format!("{}{}", workflow.name, workflow.heading);
        let label = title(&head, &workflow.marks);
        let _ = writeln!(chart.out, "  subgraph {id}[\"{label}\"]");
        chart.line(2, "direction TB");
        chart.sequence(&workflow.body, 2);
        chart.line(1, "end");
    }
    chart.out.push_str(
        "  classDef prompt fill:#efe9fd,stroke:#7a5af0,color:#1f2430
  classDef tool fill:#fdf1dc,stroke:#b97509,color:#1f2430
  classDef human fill:#fde6ec,stroke:#c0355f,color:#1f2430
  classDef workflow fill:#e2effd,stroke:#2270c4,color:#1f2430
  classDef leave fill:none,stroke:#7d8696,color:#5a6270
  classDef nothing fill:none,stroke:none
",
    );
    chart.out
}

struct Chart {
    out: String,
    count: usize,
}

impl Chart {
    fn next(&mut self) -> String {
        self.count += 1;
        format!("n{}", self.count)
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = depth * 2);
    }

    /// Nodes one after the other; an empty sequence has an empty node, since Mermaid cannot draw an empty box.
    fn sequence(&mut self, nodes: &[Node], depth: usize) {
        if nodes.is_empty() {
            let id = self.next();
            return self.line(depth, &format!("{id}[\" \"]:::nothing"));
        }
        let mut before: Option<String> = None;
        for node in nodes {
            let id = match node {
                Node::Work(work) => self.work(work, depth),
                Node::Group(group) => self.group(group, depth),
                Node::Leave(leave) => self.leave(*leave, depth),
            };
            if let Some(before) = before {
                self.line(depth, &format!("{before} --> {id}"));
            }
            before = (!node.is_left()).then_some(id);
        }
    }

    fn work(&mut self, work: &Work, depth: usize) -> String {
        let id = self.next();
        let mut lines = vec![format!("{} {}", work.kind.word(), work.name)];
        lines.extend(work.details.iter().cloned());
        if !work.tools.is_empty() {
            lines.push(format!("tools {}", work.tools.join(", ")));
        }
        lines.extend(marks(&work.marks));
        let label = label(&lines);
        let shape = match work.kind {
            WorkKind::Prompt => format!("{id}([\"{label}\"]):::prompt"),
            WorkKind::Tool => format!("{id}[/\"{label}\"/]:::tool"),
            WorkKind::Human | WorkKind::External => format!("{id}[\\\"{label}\"\\]:::human"),
            WorkKind::Workflow | WorkKind::Detached => format!("{id}[[\"{label}\"]]:::workflow"),
            WorkKind::Again | WorkKind::Recursion => format!("{id}[\"{label}\"]"),
        };
        self.line(depth, &shape);
        id
    }

    fn leave(&mut self, leave: Leave, depth: usize) -> String {
        let id = self.next();
        self.line(depth, &format!("{id}((\"{}\")):::leave", leave.word()));
        id
    }

    fn group(&mut self, group: &Group, depth: usize) -> String {
        let id = self.next();
        // The modifiers of a block say what it is.
        let word = if group.kind == GroupKind::Block {
            ""
        } else {
            group.kind.word()
        };
        let head = format!("{word} {}", group.title);
        let label = title(head.trim(), &group.marks);
        self.line(depth, &format!("subgraph {id}[\"{label}\"]"));
        match group.lanes.as_slice() {
            [lane] => {
                self.line(depth + 1, "direction TB");
                self.sequence(&lane.body, depth + 1);
            }
            lanes => {
                self.line(depth + 1, "direction TB");
                for lane in lanes {
                    let id = self.next();
                    let text = if lane.label.is_empty() {
                        " "
                    } else {
                        &lane.label
                    };
                    let label = title(text, &[]);
                    self.line(depth + 1, &format!("subgraph {id}[\"{label}\"]"));
                    self.line(depth + 2, "direction TB");
                    self.sequence(&lane.body, depth + 2);
                    self.line(depth + 1, "end");
                }
            }
        }
        self.line(depth, "end");
        id
    }
}

/// The title of a box, on one line: Mermaid draws the content of the box over a second one.
fn title(head: &str, marks: &[String]) -> String {
    let mut parts = vec![head];
    parts.extend(marks.iter().map(String::as_str));
    parts.retain(|it| !it.is_empty());
    label(&[parts.join(" · ")])
}

fn marks(marks: &[String]) -> Option<String> {
    (!marks.is_empty()).then(|| marks.join(" · "))
}

/// Lines of a label between double quotes. What Mermaid or the HTML that it makes would read is written by number.
fn label(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| {
        let mut out = String::new();
        for character in line.chars() {
            match character {
                '"' | '#' | '<' | '>' | '&' | '`' | '\\' | ';' | '*' | '_' => {
                    let _ = write!(out, "#{};", u32::from(character));
                }
                it if it.is_control() => out.push('\u{fffd}'),
                it => out.push(it),
            }
        }
        out
    });
    lines.collect::<Vec<_>>().join("<br/>")
}
